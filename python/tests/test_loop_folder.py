# SPDX-License-Identifier: Apache-2.0
"""`roofscope loop` with a folder of `roofscope extract`."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import roofscope
from roofscope import _loop_folder
from roofscope._loop import main


@pytest.fixture
def folder(tmp_path: Path, samples: Path) -> Path:
    """The folder of a transpose with bank conflicts, whose removal promises 2.44×."""
    there = tmp_path / "one"
    there.mkdir()
    shutil.copy(samples / "h200_source.roofscope.json.gz", there / "profile.roofscope.json.gz")
    kernel = roofscope.open(there / "profile.roofscope.json.gz").kernel("kb9c3bd")
    (there / "launch.json").write_text(json.dumps({"name": kernel.full_name}))
    return there


def _note(folder: Path, verdict: str, ratio: float | None, **more: Any) -> None:
    line = {"candidate": "b.cu", "digest": "0123456789", "verdict": verdict, "ratio": ratio} | more
    with (folder / "verdicts.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_the_folder_says_what_was_tried_and_what_is_next(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[0] == "`transposeTile<0>`: 0 candidates judged"
    assert "next: shared-bank-conflict, about 181 µs of 306 µs, 2.44× per launch" in said
    assert f"details: roofscope show kb9c3bd/shared-bank-conflict {folder}/profile" in said
    _note(folder, "wrong", None, candidate="a.cu", reason="4 bytes of the result are wrong")
    _note(folder, "better", 0.8)
    _note(folder, "not better", 1.25, candidate="c\x1b[1m.cu")
    main([str(folder)])
    said = capsys.readouterr().out
    assert "1. a.cu (012345): wrong: 4 bytes of the result are wrong\n" in said
    assert "2. b.cu (012345): better, 1.25× as fast\n" in said
    assert "not better, 0.80× as fast" in said
    assert "\x1b" not in said
    assert "best: b.cu, 1.25×\nnext: shared-bank-conflict" in said


def test_a_bound_that_is_reached_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _note(folder, "better", 1 / 2.4, cache="cold")
    main([str(folder)])
    said = capsys.readouterr().out
    assert "better, 2.40× as fast, cold L2\n" in said
    assert "reached: shared-bank-conflict promised about 181 µs of 306 µs, 2.44×" in said
    assert "next:" not in said


def test_what_is_no_such_folder_is_said(folder: Path, tmp_path: Path) -> None:
    (folder / "verdicts.jsonl").write_text("{damaged\n[]\n{}\n")
    assert "0 candidates judged" in _loop_folder.said_of(folder)
    with pytest.raises(roofscope.RoofscopeError, match="outside of") as refused:
        _loop_folder.said_of(folder, tmp_path / "other")
    assert refused.value.exit_code == 77
    with pytest.raises(roofscope.RoofscopeError, match="is given alone"):
        main([str(folder), "--skip", "x"])
    (folder / "launch.json").write_text("[]")
    with pytest.raises(roofscope.RoofscopeError, match="cannot be read"):
        main([str(folder)])
    (folder / "profile.roofscope.json.gz").unlink()
    with pytest.raises(roofscope.RoofscopeError, match="extract it again"):
        main([str(folder)])
