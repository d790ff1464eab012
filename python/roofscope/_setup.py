# SPDX-License-Identifier: Apache-2.0
"""`roofscope setup`: writes a skill file for each assistant found in the folder."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from roofscope._arguments import CommandParser
from roofscope._executable import RoofscopeError

#: Assistants' folders in a home or project folder, each with the path of its skill file.
_ASSISTANTS = {
    ".claude": "skills/roofscope/SKILL.md",
    ".codex": "skills/roofscope/SKILL.md",
    ".gemini": "skills/roofscope/SKILL.md",
    ".cursor": "rules/roofscope.mdc",
}
_MARK = "name: roofscope"


@dataclass(frozen=True)
class Change:
    """A file and the planned change."""

    path: Path
    what: str  #: write, update, keep, remove, foreign


def skill_text() -> str:
    """The content of the skill file."""
    return resources.files("roofscope").joinpath("skill.md").read_text(encoding="utf-8")


def plan(folder: Path, remove: bool) -> list[Change]:
    """The changes to make below this folder."""
    changes = []
    for assistant, file in _ASSISTANTS.items():
        if not (folder / assistant).is_dir():
            continue
        path = folder / assistant / file
        # Do not follow links: they could lead anywhere.
        if any(p.is_symlink() for p in (path, *path.parents) if p.is_relative_to(folder)):
            changes.append(Change(path, "foreign"))
            continue
        there = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
        if there is not None and _MARK not in there.splitlines()[:5]:
            changes.append(Change(path, "foreign"))
        elif remove:
            if there is not None:
                changes.append(Change(path, "remove"))
        elif there == skill_text():
            changes.append(Change(path, "keep"))
        else:
            changes.append(Change(path, "write" if there is None else "update"))
    return changes


def _remove(path: Path) -> None:
    """Removes the file, and its folder if that was made for it and is empty."""
    path.unlink()
    if path.parent.name == "roofscope" and not any(path.parent.iterdir()):
        path.parent.rmdir()


def apply(changes: list[Change]) -> None:
    """Carries out the plan."""
    for change in changes:
        if change.what in ("write", "update"):
            change.path.parent.mkdir(parents=True, exist_ok=True)
            change.path.write_text(skill_text(), encoding="utf-8")
        elif change.what == "remove":
            _remove(change.path)


_SAYS = {
    "write": "new      {}",
    "update": "update   {}",
    "keep": "current  {}",
    "remove": "remove   {}",
    "foreign": "skip     {} (a link, or a file that is not roofscope's)",
}


def main(arguments: list[str]) -> int:
    """`roofscope setup`."""
    parser = CommandParser(
        prog="roofscope setup",
        description="Writes a skill file on roofscope for each assistant with a folder here. "
        "Shows the changes first.",
        epilog="Example: roofscope setup --dry-run",
    )
    parser.add_argument("--dry-run", action="store_true", help="only show it, with the text")
    parser.add_argument("--remove", action="store_true", help="delete the files again")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--project", action="store_true", help="in this folder instead of the home folder"
    )
    options = parser.parse_args(arguments)
    folder = Path.cwd() if options.project else Path.home()
    changes = plan(folder, options.remove)
    if not changes:
        known = ", ".join(_ASSISTANTS)
        print(f"Nothing to do: no folder of an assistant in {folder} (known: {known}).")
        return 0
    for change in changes:
        print(_SAYS[change.what].format(change.path))
    todo = [c for c in changes if c.what in ("write", "update", "remove")]
    if options.dry_run:
        if any(c.what in ("write", "update") for c in todo):
            print(f"\n{skill_text()}", end="")
        return 0
    if todo and not options.yes:
        if not sys.stdin.isatty():
            raise RoofscopeError("cannot ask without a terminal: use --yes or --dry-run", 64)
        if input("Do this? [y/N] ").strip().lower() not in ("y", "yes"):
            return 0
    apply(changes)
    return 0
