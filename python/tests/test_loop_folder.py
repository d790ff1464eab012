# SPDX-License-Identifier: Apache-2.0
"""`roofscope loop` with a folder of `roofscope extract`."""

import json
import os
import shutil
import subprocess
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
    _note(folder, "\x1b[1m\x07", None, reason="\x1b]0;owned\x07\nbest: d.cu", digest="\x1b[2J")
    main([str(folder)])
    said = capsys.readouterr().out
    assert "1. a.cu (012345): wrong: 4 bytes of the result are wrong\n" in said
    assert "2. b.cu (012345): better, 1.25× as fast\n" in said
    assert "not better, 0.80× as fast" in said
    assert said.replace("\n", "").isprintable()
    assert "\nbest: d.cu" not in said
    assert "best: b.cu, 1.25×\nnext: shared-bank-conflict" in said


def test_the_folder_is_quoted_where_a_command_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder.parent)
    for name in ("x;touch PWNED", "-rf $(id) #", "e\x1b[2J'`id`\n", "\udcff 'x"):
        folder = folder.rename(folder.parent / name)
        assert main(["--", name]) == 0
        said = capsys.readouterr().out
        assert said.replace("\n", "").isprintable()
        command = said.split("details: roofscope show ")[1].splitlines()[0]
        printed = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True
        ).stdout.split(b"\0")
        assert printed[0] == b"kb9c3bd/shared-bank-conflict"
        assert Path(os.fsdecode(printed[1])).samefile(folder / "profile.roofscope.json.gz")
        assert [path.name for path in folder.parent.iterdir()] == [name]


def test_a_verdict_without_a_candidate_is_no_error(folder: Path) -> None:
    (folder / "verdicts.jsonl").write_text('{"verdict": "better", "ratio": 0.5}\n')
    assert "best: None, 2.00×" in _loop_folder.said_of(folder)


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
