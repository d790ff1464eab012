# SPDX-License-Identifier: Apache-2.0
"""Adds a member to a JSON file with comments, or removes it, and leaves the rest unchanged.

Settings files of editors have comments, and may have a comma after the last member.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_SCALAR = re.compile(r"[^\s,\]}\[{\"/]+")


@dataclass(frozen=True)
class _Member:
    name: str
    begin: int  #: of the name
    value: int  #: where the value begins
    end: int  #: after the value
    comma: int | None  #: where the comma after it is


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _after_value(text: str, at: int) -> int:
    """Where the value that begins at `at` ends; ValueError if there is none."""
    depth = 0
    while at < len(text):
        if text[at] in "{[":
            depth, at = depth + 1, at + 1
        elif text[at] in "}]":
            depth, at = depth - 1, at + 1
        elif depth and text[at] in ",:":
            at += 1
        else:
            found = (_STRING if text[at] == '"' else _SCALAR).match(text, at)
            if not found:
                break
            at = found.end()
        if depth == 0:
            return at
        at = _after_blank(text, at)
    raise ValueError("not JSON")


def _members(text: str, at: int) -> tuple[list[_Member], int]:
    """The members of the object that begins at `at`, and where its closing brace is."""
    if text[at : at + 1] != "{":
        raise ValueError("not an object")
    found: list[_Member] = []
    at = _after_blank(text, at + 1)
    while text[at : at + 1] != "}":
        name = _STRING.match(text, at)
        if not name:
            raise ValueError("not JSON")
        colon = _after_blank(text, name.end())
        if text[colon : colon + 1] != ":":
            raise ValueError("not JSON")
        value = _after_blank(text, colon + 1)
        end = _after_value(text, value)
        next_at = _after_blank(text, end)
        comma = next_at if text[next_at : next_at + 1] == "," else None
        found.append(_Member(json.loads(name[0]), name.start(), value, end, comma))
        at = next_at if comma is None else _after_blank(text, comma + 1)
        if comma is None and text[at : at + 1] != "}":
            raise ValueError("not JSON")
    return found, at


def _plain(text: str) -> str:
    """The text without comments, and without a comma after the last member."""

    def pieces() -> Iterator[str]:
        at = 0
        while at < len(text):
            blank = _after_blank(text, at)
            if blank > at:
                yield " "
                at = blank
                continue
            string = _STRING.match(text, at)
            if string:
                yield string[0]
                at = string.end()
            elif text[at] == "," and text[_after_blank(text, at + 1) :][:1] in ("}", "]"):
                at += 1
            else:
                yield text[at]
                at += 1

    return "".join(pieces())


def parse(text: str) -> Any:
    """The value of the text; ValueError if it is not JSON."""
    try:
        return json.loads(text)  # much quicker, and enough for most files
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_plain(text))
    except (IndexError, RecursionError):
        raise ValueError("not JSON") from None


def _object(text: str, path: list[str]) -> tuple[int, list[str]]:
    """Follows the path: where its innermost existing object begins, and the missing rest."""
    at = _after_blank(text, 0)
    for i, name in enumerate(path):
        found = [m for m in _members(text, at)[0] if m.name == name]
        if not found:
            return at, path[i:]
        at = found[-1].value
    return at, []


def member(text: str, path: list[str], name: str) -> Any:
    """The member `name` of the object at `path`; None if there is none."""
    value = parse(text) if text.strip() else {}
    for key in [*path, name]:
        if not isinstance(value, dict):
            raise ValueError("not an object")
        if key not in value:
            return None
        value = value[key]
    return value


def _indentation(text: str, at: int) -> str:
    """The indentation of the line that contains this position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def with_member(text: str, path: list[str], name: str, value: Any) -> str:
    """The text with this member added; ValueError if it is not JSON or has the member."""
    if member(text, path, name) is not None:
        raise ValueError(f"{name} is there already")
    if not text.strip():
        text = "{}\n"
    at, missing = _object(text, path)
    names = [*missing, name]
    for key in reversed(names[1:]):
        value = {key: value}
    members, close = _members(text, at)
    step = next((s for s in re.findall(r"^([ \t]+)\S", text, re.M)), "  ")
    outer = _indentation(text, at)
    body = json.dumps(value, indent=step, ensure_ascii=False).replace("\n", f"\n{outer}{step}")
    head = text[:close].rstrip()
    if members and members[-1].comma is None:
        end = members[-1].end
        head = text[:end] + "," + text[end:close].rstrip()
    added = f"\n{outer}{step}{json.dumps(names[0])}: {body}\n{outer}"
    changed = head + added + text[close:]
    parse(changed)
    return changed


def without_member(text: str, path: list[str], name: str) -> str:
    """The text without this member; ValueError if it is not there."""
    at, missing = _object(text, path)
    members = _members(text, at)[0]
    found = [i for i, m in enumerate(members) if m.name == name]
    if missing or not found:
        raise ValueError(f"{name} is not there")
    mine = members[found[0]]
    head, tail = text[: mine.begin].rstrip(), text[mine.end :]
    if mine.comma is not None:
        tail = text[mine.comma + 1 :]
    elif found[0] > 0:
        comma = members[found[0] - 1].comma
        assert comma is not None
        head = head[:comma] + head[comma + 1 :]
    if not tail.lstrip(" \t").startswith("\n"):
        head += " "
    changed = head + tail
    parse(changed)
    return changed
