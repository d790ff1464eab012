# SPDX-License-Identifier: Apache-2.0
"""Hostile names and commands are answered or refused; nothing else happens.

ROOFSCOPE_FUZZ_RUNS=1000000 sets the number of runs, instead of a few thousand."""

import os
import random
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp.server.mcpserver.exceptions import ToolError

from roofscope import _mcp_server, _packets

PIECES = [
    "..", "/", "./", "//", "~", "-", "--out=", "app.roofscope.json.gz", "step.py", "link.py",
    "loop", "python3", "python", "\0", "\n", "\x1b[2J", "\ud800", "\udcff", "é", "\u202e", "%n",
    "$(id)", ";id", "`id`", "|", "a" * 300, "a/" * 700, "", " ", "/etc/passwd", "C:\\x",
    "/proc/self/root",
]  # fmt: skip


def texts(dice: random.Random) -> str:
    return "".join(dice.choices(PIECES, k=dice.randint(0, 5)))


def test_hostile_names_are_answered_or_refused(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "step.py").write_text("")
    (root / "app.roofscope.json.gz").write_bytes(b"")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "loop").symlink_to("loop")
    (tmp_path / "outside.py").write_text("")
    folder = _mcp_server.Folder(root)
    dice = random.Random(7)
    inside = refused = 0
    for _ in range(int(os.environ.get("ROOFSCOPE_FUZZ_RUNS", "2000"))):
        name = texts(dice)
        try:
            assert folder.inside(name).is_relative_to(folder.root)
            inside += 1
        except ToolError as error:
            refused += 1
            # An error for an assistant has no control characters and fits into a packet.
            assert str(error).isprintable()
            assert _packets.estimate_tokens(str(error)) < _packets.LIMIT
        try:
            program = folder.program([texts(dice) for _ in range(dice.randint(0, 3))])
            files = [Path(part) for part in program[:2] if part.startswith(str(folder.root))]
            assert files and files[0].is_file()
        except ToolError as error:
            assert str(error).isprintable()
    assert inside > 100
    assert refused > 100
