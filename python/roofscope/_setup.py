# SPDX-License-Identifier: Apache-2.0
"""`roofscope setup`: tells assistants how to use roofscope, and registers its server with them.

In the user's files only our own part is changed, and not even that once the user has edited it.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofscope import _jsonc
from roofscope._arguments import CommandParser
from roofscope._assistants import HOME, NAMES, PROJECT, Assistant
from roofscope._executable import RoofscopeError, executable, places_in_path
from roofscope._setup_texts import with_section, with_skill, without_section, without_skill

_SERVER = "roofscope"


@dataclass(frozen=True)
class Change:
    """A file and the planned change."""

    path: Path
    what: str  #: write, update, keep, remove, edited, foreign, folder
    before: str = ""
    after: str = ""


def _command(project: bool) -> str:
    """How an assistant starts roofscope: by name in a project, which others share, else by path."""
    if project:
        return "roofscope"
    own = Path(sys.argv[0])
    if own.name == "roofscope" and os.access(own, os.X_OK):
        return str(own.absolute())
    # A relative entry of PATH would make the assistant run what lies in its project.
    for place in places_in_path("roofscope"):
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    return str(executable().absolute())


def _words(
    assistant: Assistant, root: Path | None, folder: Path, project: bool
) -> list[str] | None:
    """The arguments of the server; None if it needs a folder and none was named."""
    if root is not None:
        return ["mcp", "--root", str(root)]
    if assistant.root == "variable":
        return ["mcp", "--root", "${workspaceFolder}"]
    if assistant.root == "started":
        return ["mcp"]
    return ["mcp", "--root", str(folder)] if project else None


def _entry(assistant: Assistant, command: str, words: list[str]) -> dict[str, Any]:
    """The server in the assistant's settings."""
    if assistant.name == "opencode":
        return {"type": "local", "command": [command, *words], "enabled": True}
    if assistant.name == "zed":
        return {"source": "custom", "command": command, "args": words, "env": {}}
    entry: dict[str, Any] = {"command": command, "args": words}
    if assistant.name == "copilot":
        # The command line and the editor name the fields differently.
        editor = "servers" in assistant.keys
        return {"type": "stdio", **entry} if editor else {"type": "local", **entry, "tools": ["*"]}
    return entry


def _toml(entry: dict[str, Any]) -> str:
    """Codex's table. JSON's strings and lists of strings are TOML's, too."""
    return (
        f"[mcp_servers.{_SERVER}]\ncommand = {json.dumps(entry['command'])}\n"
        f"args = {json.dumps(entry['args'])}\n"
    )


_TABLE = re.compile(rf"^\s*\[\s*mcp_servers\s*\.\s*[\"']?{_SERVER}[\"']?\s*[\].]", re.M)
#: Our table, if the user added no keys to it.
_OWN_TABLE = re.compile(
    rf'^\[mcp_servers\.{_SERVER}\]\ncommand = (".*")\nargs = (\[.*\])\n(?=\s*(?:\[|#|\Z))', re.M
)


def _bare(entry: Any) -> Any:
    """The entry without what depends on the machine: the path of roofscope, and the folder."""

    def words(value: list[Any]) -> list[Any]:
        rooted = len(value) > 1 and value[-2] == "--root"
        return value[:-2] if rooted else value

    if not isinstance(entry, dict):
        return entry
    bare = dict(entry)
    for key, value in entry.items():
        if isinstance(value, list):
            bare[key] = [Path(str(word)).name for word in words(value)]
        elif key == "command":
            bare[key] = Path(str(value)).name
    return bare


def _registered(assistant: Assistant, there: str) -> Any:
    """The server's entry in the settings; None if there is none."""
    if assistant.keys:
        return _jsonc.member(there, list(assistant.keys), _SERVER)
    own = _OWN_TABLE.search(there)
    if own and len(_TABLE.findall(there)) == 1:
        return {"command": json.loads(own[1]), "args": json.loads(own[2])}
    return {} if _TABLE.search(there) else None


def _with_entry(assistant: Assistant, there: str, entry: dict[str, Any]) -> str:
    if assistant.keys:
        return _jsonc.with_member(there, list(assistant.keys), _SERVER, entry)
    head = there.rstrip("\n")
    return f"{head}\n\n{_toml(entry)}" if head else _toml(entry)


def _without_entry(assistant: Assistant, there: str) -> str:
    if assistant.keys:
        return _jsonc.without_member(there, list(assistant.keys), _SERVER)
    own = _OWN_TABLE.search(there)
    assert own
    head, tail = there[: own.start()].rstrip("\n"), there[own.end() :]
    return (f"{head}\n" if head else "") + tail


def _with_server(
    assistant: Assistant, there: str, entry: dict[str, Any], named: bool
) -> tuple[str, str]:
    """What to do with the settings, and their new text; ValueError if they cannot be read.

    `named`: the user named the folder, so it replaces a different one in the settings.
    """
    registered = _registered(assistant, there)
    if registered is None:
        return ("update" if there else "write"), _with_entry(assistant, there, entry)
    if _bare(registered) != _bare(entry):
        return "edited", there
    if registered == entry or not named:
        return "keep", there
    return "update", _with_entry(assistant, _without_entry(assistant, there), entry)


def _without_server(assistant: Assistant, there: str, entry: dict[str, Any]) -> tuple[str, str]:
    registered = _registered(assistant, there)
    if registered is None:
        return "", there
    if _bare(registered) != _bare(entry):
        return "edited", there
    after = _without_entry(assistant, there)
    # If nothing else is in the file, it was created for this entry.
    empty = assistant.keys and _jsonc.parse(after) == {assistant.keys[0]: {}}
    return "remove", "" if empty else after


def _read(folder: Path, path: Path) -> str | None:
    """The text; None if the file must not be changed: it is a link, or not a text file."""
    # Do not follow links: they may lead anywhere.
    if any(p.is_symlink() for p in (path, *path.parents) if p.is_relative_to(folder)):
        return None
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError):
        return None


def _settings(folder: Path, assistant: Assistant) -> Path | None:
    if assistant.settings is None:
        return None
    path = folder / assistant.settings
    other = path.with_suffix(".jsonc")
    return other if assistant.name == "opencode" and other.exists() else path


def _present(folder: Path, project: bool, wanted: tuple[str, ...]) -> list[Assistant]:
    known = PROJECT if project else HOME
    return [
        a
        for a in known
        if a.name in wanted or (not wanted and any((folder / sign).exists() for sign in a.signs))
    ]


def _of(
    assistant: Assistant, folder: Path, remove: bool, project: bool, root: Path | None
) -> Iterator[Change]:
    """The changes for an assistant."""

    def change(path: Path, make: Any) -> Change | None:
        there = _read(folder, path)
        if there is None:
            return Change(path, "foreign")
        try:
            what, after = make(there)
        except ValueError:
            return Change(path, "foreign")
        return Change(path, what, there, after) if what else None

    found: list[Change | None] = []
    if assistant.skill:
        found.append(change(folder / assistant.skill, without_skill if remove else with_skill))
    settings = _settings(folder, assistant)
    if settings:
        words = _words(assistant, root, folder, project)
        entry = _entry(assistant, _command(project), words or ["mcp"])
        if remove:
            found.append(change(settings, lambda there: _without_server(assistant, there, entry)))
        elif words is None:
            found.append(Change(settings, "folder"))
        else:
            named = root is not None
            found.append(
                change(settings, lambda there: _with_server(assistant, there, entry, named))
            )
    if assistant.instructions:
        section = without_section if remove else with_section
        found.append(change(folder / assistant.instructions, section))
    yield from (one for one in found if one)


def plan(
    folder: Path,
    remove: bool,
    project: bool = False,
    root: Path | None = None,
    wanted: tuple[str, ...] = (),
) -> list[Change]:
    """The changes to make below this folder, each file once."""
    changes: dict[Path, Change] = {}
    for assistant in _present(folder, project, wanted):
        for change in _of(assistant, folder, remove, project, root):
            changes.setdefault(change.path, change)
    return list(changes.values())


def _remove(path: Path) -> None:
    """Removes the file, and its folder if that was made for it and is empty."""
    path.unlink()
    if path.parent.name == "roofscope" and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _write(path: Path, text: str) -> None:
    """Replaces the file atomically: an interruption leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o7777 if path.exists() else None
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(part).chmod(0o666 & ~umask if mode is None else mode)
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def apply(changes: list[Change]) -> None:
    """Carries out the plan."""
    for change in changes:
        if change.what not in ("write", "update", "remove"):
            continue
        try:
            if change.after:
                _write(change.path, change.after)
            else:
                _remove(change.path)
        except OSError as error:
            raise RoofscopeError(f"{change.path}: {error.strerror}", 73) from error


_SAYS = {
    "write": "new      {}",
    "update": "update   {}",
    "keep": "current  {}",
    "remove": "remove   {}",
    "edited": "skip     {} (you edited what setup wrote there: it is kept)",
    "foreign": "skip     {} (a link, or a file that setup cannot change)",
    "folder": "skip     {} (the server needs a folder there: give --root FOLDER)",
}


def _show(change: Change) -> None:
    """The text of a new file, or the lines that change."""
    if not change.before:
        print(f"\n{change.path}:\n{change.after}", end="")
        return
    lines = difflib.unified_diff(
        change.before.splitlines(),
        change.after.splitlines(),
        str(change.path),
        str(change.path),
        lineterm="",
    )
    print("\n" + "\n".join(lines))


def main(arguments: list[str]) -> int:
    """`roofscope setup`."""
    parser = CommandParser(
        prog="roofscope setup",
        description="Registers the server with each assistant found here, and writes how to use "
        "roofscope: a skill file, or a section of AGENTS.md. Shows the changes first.",
        epilog="Example: roofscope setup --dry-run",
    )
    parser.add_argument("--dry-run", action="store_true", help="only show it, with the text")
    parser.add_argument("--remove", action="store_true", help="take it out again")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--project", action="store_true", help="in this folder instead of the home folder"
    )
    parser.add_argument(
        "--for",
        dest="wanted",
        action="append",
        default=[],
        choices=NAMES,
        help="this assistant, also if it is not found; may be repeated",
    )
    parser.add_argument(
        "--root",
        type=Path,
        help="folder for the server (default: the one in which the assistant starts it)",
    )
    options = parser.parse_args(arguments)
    if options.root is not None and not options.root.is_dir():
        raise RoofscopeError(f"{options.root}: no such folder", 66)
    folder = Path.cwd() if options.project else Path.home()
    root = options.root.resolve() if options.root else None
    changes = plan(folder, options.remove, options.project, root, tuple(options.wanted))
    if not changes:
        known = ", ".join(NAMES)
        print(f"Nothing to do: no assistant was found in {folder} (known: {known}; see --for).")
        return 0
    for change in changes:
        print(_SAYS[change.what].format(change.path))
    todo = [c for c in changes if c.what in ("write", "update", "remove")]
    if options.dry_run:
        for change in todo:
            _show(change)
        return 0
    if todo and not options.yes:
        if not sys.stdin.isatty():
            raise RoofscopeError("cannot ask without a terminal: use --yes or --dry-run", 64)
        if input("Do this? [y/N] ").strip().lower() not in ("y", "yes"):
            return 0
    apply(changes)
    return 0
