# SPDX-License-Identifier: Apache-2.0
"""The texts that `roofscope setup` writes: a skill file, and a section for files like AGENTS.md.

Each contains its own hash, so that an edit by the user is noticed and kept.
"""

from __future__ import annotations

import hashlib
import re
from importlib import resources

_MARK = "name: roofscope"
BEGIN = "<!-- roofscope setup: begin. Text outside of this section is kept. -->"
_END = re.compile(r"<!-- roofscope setup: end ([0-9a-f]{12}) -->\n?")
_SKILL_END = re.compile(r"<!-- roofscope setup: ([0-9a-f]{12}) -->\n?$")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def source() -> str:
    return resources.files("roofscope").joinpath("skill.md").read_text(encoding="utf-8")


def skill_text() -> str:
    """The content of the skill file. Its last line is a hash that shows whether it was edited."""
    text = source()
    return f"{text}\n<!-- roofscope setup: {_hash(text)} -->\n"


def section_text() -> str:
    """The section of AGENTS.md: the skill file without its head."""
    body = source().split("---\n", 2)[2].strip().replace("# roofscope\n", "## roofscope\n", 1)
    return f"{BEGIN}\n{body}\n<!-- roofscope setup: end {_hash(body)} -->\n"


def with_skill(there: str) -> tuple[str, str]:
    """What to do with a skill file, and its new text."""
    if not there:
        return "write", skill_text()
    if _MARK not in there.splitlines()[:5]:
        return "foreign", there
    if there == skill_text():
        return "keep", there
    end = _SKILL_END.search(there)
    # Skill files of older versions have no line with a hash.
    if end and _hash(there[: end.start()].removesuffix("\n")) != end[1]:
        return "edited", there
    return "update", skill_text()


def without_skill(there: str) -> tuple[str, str]:
    what, _ = with_skill(there)
    if what in ("keep", "update"):
        return "remove", ""
    return ("", there) if what == "write" else (what, there)


def _section(there: str) -> tuple[int, int, bool] | None:
    """Where the section begins and ends, and whether it was edited; ValueError if it has no end."""
    begin = there.find(BEGIN)
    if begin < 0:
        return None
    end = _END.search(there, begin)
    if not end:
        raise ValueError("no end")
    body = there[begin + len(BEGIN) : end.start()].strip("\n")
    return begin, end.end(), _hash(body) != end[1]


def with_section(there: str) -> tuple[str, str]:
    """What to do with a file like AGENTS.md, and its new text."""
    found = _section(there)
    if found is None:
        head = there.rstrip("\n")
        after = f"{head}\n\n{section_text()}" if head else section_text()
        return ("update" if there else "write"), after
    begin, end, edited = found
    if edited:
        return "edited", there
    after = there[:begin] + section_text() + there[end:]
    return ("keep" if after == there else "update"), after


def without_section(there: str) -> tuple[str, str]:
    found = _section(there)
    if found is None:
        return "", there
    begin, end, edited = found
    if edited:
        return "edited", there
    head, tail = there[:begin].rstrip("\n"), there[end:].lstrip("\n")
    after = f"{head}\n" + (f"\n{tail}" if tail else "") if head else tail
    return "remove", after
