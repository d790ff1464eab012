# SPDX-License-Identifier: Apache-2.0
"""Damaged ledgers of `roofscope loop`, results of `roofscope try`, and verdicts in a folder of
`roofscope extract` are refused with a message, or read and printed.

ROOFSCOPE_FUZZ_RUNS=1000000 sets the number of runs, instead of a few thousand."""

import json
import os
import random
from pathlib import Path

import pytest

from roofscope import _loop, _loop_folder, _tried_file
from roofscope._executable import RoofscopeError
from roofscope._loop_rejected import not_again

ACTION = {
    "id": "k1/global-uncoalesced",
    "rule": "global-uncoalesced",
    "kernel": "k1",
    "edit": "Let neighbours read neighbours.",
    "bound_ns": 1200.5,
    "estimate": False,
    "expected": [{"counter": "sectors", "from": 8, "to": 4, "unit": "count"}],
}
LEDGER = {
    "format": "roofscope-loop",
    "schema": [1, 0],
    "skipped": ["k2/unfused-chain"],
    "steps": [
        {"number": 1, "time": "2026-11-22T10:00:00+00:00", "profile": "a.roofscope.json",
         "kernel": None, "total_ns": 1e9, "action": ACTION,
         "outcome": {"state": "kept", "saved_ns": 900.0, "why": "faster", "cause": None}},
        {"number": 2, "time": "2026-11-22T10:05:00+00:00", "profile": "b.roofscope.json",
         "kernel": "gemm", "total_ns": None, "action": ACTION, "outcome": None},
        {"number": 3, "time": "2026-11-22T10:09:00+00:00", "profile": "c.roofscope.json",
         "kernel": None, "total_ns": 1, "action": None, "outcome": None, "stop": "nothing more"},
    ],
}  # fmt: skip
PIECES = [
    "{", "}", "[", "]", ",", ":", "null", "-1", "1e308", "1e400", "NaN", "Infinity", '""', "true",
    "[[[[[[[[[[[[", '{"a":1}', "9" * 30, "\\ud800", "\\u0000", "\\u001b[2J", "\x00", "\n", "é",
    "roofscope-loop", '"action":', '"steps":', "0",
]  # fmt: skip


def damaged(text: str, dice: random.Random) -> str:
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(text) + 1)
        length = dice.randrange(12)
        piece = dice.choice([*PIECES, text[at : at + length] * 2])
        text = text[:at] + piece + text[at + dice.choice((0, length)) :]
    return text


class Text:
    """Stands in for a file, since writing one would take most of the time."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read_text(self, encoding: str) -> str:
        return self.text

    def __str__(self) -> str:
        return "ledger.json"


def test_damaged_ledgers_are_refused_or_told() -> None:
    dice = random.Random(7)
    whole = json.dumps(LEDGER)
    read = 0
    for _ in range(int(os.environ.get("ROOFSCOPE_FUZZ_RUNS", "5000"))):
        try:
            ledger = _loop.read_ledger(Text(damaged(whole, dice)))  # type: ignore[arg-type]
        except RoofscopeError as refused:
            assert refused.exit_code == 65
            continue
        read += 1
        not_again(ledger)
        for step in ledger["steps"]:
            assert _loop.outcome_line(step).isprintable()
    assert read > 100


def test_a_ledger_nested_a_million_deep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text("[" * 1_000_000)
    with pytest.raises(RoofscopeError, match="cannot be read as a ledger"):
        _loop.read_ledger(path)


def test_results_of_try_are_kept_or_left_out() -> None:
    dice = random.Random(7)
    fields = dict.fromkeys(_tried_file._KEPT)
    new = fields | {"name": "tf32", "outcome": "slower"}
    whole = _tried_file.joined(None, "r", [fields | {"name": "compile"}, new])
    kept = 0
    for _ in range(int(os.environ.get("ROOFSCOPE_FUZZ_RUNS", "5000"))):
        text = damaged(whole, dice).encode("utf-8", "replace")
        once = _tried_file.joined(text, "r", [new])
        names = [trial["name"] for trial in _tried_file.trials_in(once.encode(), "r")]
        assert names.count("tf32") == 1
        assert _tried_file.joined(once.encode(), "r", [new]) == once
        kept += "compile" in names
    assert kept > 100


def test_damaged_verdicts_are_left_out_or_told(tmp_path: Path) -> None:
    dice = random.Random(7)
    verdict = {"candidate": "a.cu", "digest": "0123456789", "verdict": "better", "ratio": 0.5,
               "cache": "cold", "reason": None}  # fmt: skip
    whole = json.dumps(verdict)
    path = tmp_path / "verdicts.jsonl"
    read = 0
    for _ in range(int(os.environ.get("ROOFSCOPE_FUZZ_RUNS", "5000")) // 10):
        path.write_text("\n".join(damaged(whole, dice) for _ in range(10)), errors="replace")
        for one in _loop_folder._verdicts(tmp_path):
            read += 1
            assert _loop_folder._line(read, one).isprintable()
    assert read > 100
