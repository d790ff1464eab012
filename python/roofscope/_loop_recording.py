# SPDX-License-Identifier: Apache-2.0
"""Which recording a step of the ledger has: its file, its content, its program."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from pathlib import Path, PurePath
from typing import IO, Any

from roofscope import _packets
from roofscope._executable import RoofscopeError
from roofscope._profile import Profile


def stored_name(profile: Path, folder: Path | None) -> str:
    """How the ledger in `folder` names a recording: relative to the folder, unless it is absolute.

    None: the current folder."""
    if folder is None or profile.is_absolute():
        return str(profile)
    # Links on the way would make ".." lead elsewhere.
    place = Path(os.path.realpath(profile.parent)) / profile.name
    return os.path.relpath(place, os.path.realpath(folder))


def file_of(step: dict[str, Any], folder: Path | None) -> Path:
    """The recording of a step of the ledger in `folder`."""
    return Path(step["profile"]) if folder is None else folder / step["profile"]


def _digest(file: IO[bytes] | gzip.GzipFile) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def file_hash(path: Path) -> str | None:
    """A hash of the file's bytes; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return _digest(file)
    except OSError:
        return None


def content_hash(path: Path) -> str | None:
    """A hash of the recording, whatever its compression; None if the file cannot be read."""
    try:
        with path.open("rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return file_hash(path)
        with gzip.open(path, "rb") as content:
            return _digest(content)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return file_hash(path)
    except OSError:
        return None


def is_of(step: dict[str, Any], path: Path, content: str | None) -> bool:
    """Whether a step has this recording. Ledgers of earlier versions have the file's hash only."""
    if "content" in step:
        return content is not None and bool(step["content"] == content)
    return "sha256" in step and bool(step["sha256"] == file_hash(path))


def program_name(command: tuple[str, ...]) -> str | None:
    """What a command runs: its script, its module, or its program. None if nothing is known.

    Arguments are left out: an edit may change them."""
    if not command:
        return None
    for word in command:
        if word.endswith(".py"):
            return PurePath(word).name
    words = list(command)
    if "-m" in words[1:-1]:
        return words[words.index("-m", 1) + 1]
    return PurePath(words[0]).name or None


def refuse_other_program(before: Profile, after: Profile) -> None:
    """RoofscopeError (65) if the two recordings are of different programs by their commands."""
    names = [program_name(side.command) for side in (before, after)]
    if None in names or names[0] == names[1]:
        return
    was, now = (_packets.plain(str(name), 80) for name in names)
    raise RoofscopeError(
        f"{after.path}: another program ({now}) than the recording before ({was}): give it a "
        "ledger of its own (--ledger), or --same-program if it is the edited one",
        65,
    )
