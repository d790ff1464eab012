# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest

import roofscope
from roofscope import _loop


def _step(ledger: Path, profile: roofscope.Profile, kernel: str) -> dict:
    known = _loop.read_ledger(ledger)
    _loop.advance(known, profile, kernel)
    _loop.write_ledger(ledger, known)
    return known


def test_a_kept_promise_and_the_stop(bundled: roofscope.Profile, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    _step(ledger, bundled, "patterns/transpose_unpadded/n=8192,f32")
    steps = _step(ledger, bundled, "patterns/transpose_padded/n=8192,f32")["steps"]
    assert steps[0]["action"]["rule"] == "shared-bank-conflict"
    assert steps[0]["outcome"]["state"] == "kept"
    assert steps[0]["outcome"]["saved_ns"] == pytest.approx(154785)
    assert steps[1]["action"] is None
    assert "no finding" in steps[1]["stop"]


_LADDERS = {
    "lightning_attention_decode": [
        "naive",
        "shared_conflict",
        "shared_padded",
        "coalesced",
        "warp_per_row_vec4",
        "split_heads",
    ],
    "matmul": ["naive", "tiled_shared", "register_tiled_vec4", "tensor_core"],
    "patterns": ["copy_1b", "copy_2b", "copy_4b", "copy_8b", "copy_16b"],
}


@pytest.mark.parametrize("family", _LADDERS)
def test_ladders_end_in_stop(family: str, bundled: roofscope.Profile, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    for rung in _LADDERS[family]:
        kernel = next(k for k in bundled.kernels if (k.range or "").startswith(f"{family}/{rung}/"))
        steps = _step(ledger, bundled, kernel.range or "")["steps"]
    assert steps[-1]["action"] is None and steps[-1]["stop"]
    for step in steps[:-1]:
        if step["action"]:
            assert step["outcome"]["state"] in ("kept", "broken", "beyond-bound")


def test_nothing_is_proposed_twice(bundled: roofscope.Profile, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    kernel = "patterns/transpose_unpadded/n=8192,f32"
    _step(ledger, bundled, kernel)
    steps = _step(ledger, bundled, kernel)["steps"]  # recorded again without an edit
    assert steps[0]["outcome"]["state"] == "broken"
    assert steps[1]["action"] is None
    assert "not tried" in steps[1]["stop"]


def test_skipped_actions_stay_out(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = samples / "h200_source.roofscope.json.gz"
    first = roofscope.open(profile).findings[0].id
    assert _loop.main(["--skip", first]) == 0
    assert _loop.main([str(profile)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("next: ") and first not in said
    assert _loop.main([]) == 0
    assert "open" in capsys.readouterr().out


def test_a_lost_profile_is_not_comparable(
    with_source: roofscope.Profile, samples: Path, tmp_path: Path
) -> None:
    ledger, copy = tmp_path / "ledger.json", tmp_path / "before.roofscope.json.gz"
    copy.write_bytes(with_source.path.read_bytes())
    _step(ledger, roofscope.open(copy), None)  # type: ignore[arg-type]
    copy.unlink()
    steps = _step(ledger, with_source, None)["steps"]  # type: ignore[arg-type]
    assert steps[0]["outcome"]["state"] == "not-comparable"


def test_other_files_are_not_taken_for_ledgers(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps({"format": "else"}))
    with pytest.raises(roofscope.RoofscopeError):
        _loop.read_ledger(path)
    assert json.loads(path.read_text()) == {"format": "else"}
