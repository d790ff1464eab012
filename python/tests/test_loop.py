# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import roofscope
from roofscope import _file_lock, _loop, _packets
from roofscope._loop_recording import program_name
from roofscope._loop_rejected import is_among, not_again, why_not


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


#: The rungs of each ladder, each with the rule of the action at this step and its outcome.
_LADDERS: dict[str, list[tuple[str, str | None, str | None]]] = {
    "gelu": [
        ("gelu/unfused", "unfused-chain", "kept"),
        ("gelu/fused_scalar", "global-narrow-access", "kept"),
        ("gelu/fused_vec4", None, None),
    ],
    "gelu with bias": [
        ("gelu/bias_unfused", "unfused-chain", "kept"),
        ("gelu/bias_fused", None, None),
    ],
    "softmax": [
        ("softmax/unfused", "unfused-chain", "kept"),
        ("softmax/block_per_row_shared", "shared-bank-conflict", "kept"),
        ("softmax/block_shuffle", None, None),
        ("softmax/online_vec4", None, None),
    ],
    "rope": [
        ("rope/tables", "unfused-chain", "kept"),
        ("rope/fused_scalar", None, None),
        ("rope/fused_vec4", None, None),
    ],
    "merge_attn_states": [
        ("merge_attn_states/scalar16", "global-narrow-access", "kept"),
        ("merge_attn_states/vec16B", None, None),
    ],
    "lightning_attention_decode": [
        # The next rung loads by rows but stores with conflicts: no gain yet.
        ("lightning_attention_decode/naive", "global-uncoalesced", "broken"),
        ("lightning_attention_decode/shared_conflict", "shared-bank-conflict", "kept"),
        ("lightning_attention_decode/shared_padded", "global-uncoalesced", "kept"),
        ("lightning_attention_decode/coalesced", "global-narrow-access", "kept"),
        ("lightning_attention_decode/warp_per_row_vec4", None, None),
        ("lightning_attention_decode/split_heads", None, None),
    ],
    "causal_linear_attention": [
        ("causal_linear_attention/low_occupancy", "redundant-read", "kept"),
        ("causal_linear_attention/auto", None, None),
    ],
    "matmul": [
        ("matmul/naive", "global-uncoalesced", "kept"),
        ("matmul/tiled_shared", "shared-operands", "kept"),
        ("matmul/register_tiled_vec4", "missing-tensor-core", "kept"),
        ("matmul/tensor_core", None, None),
    ],
    "transpose": [
        ("patterns/transpose_unpadded", "shared-bank-conflict", "kept"),
        ("patterns/transpose_padded", None, None),
    ],
    "copy": [
        ("patterns/copy_1b", "global-narrow-access", "partly"),
        ("patterns/copy_2b", "global-narrow-access", "partly"),
        ("patterns/copy_4b", "global-narrow-access", "kept"),
        ("patterns/copy_8b", None, None),
        ("patterns/copy_16b", None, None),
    ],
}


@pytest.fixture(scope="session")
def recording(bundled: roofscope.Profile) -> dict:
    return json.loads(gzip.decompress(bundled.path.read_bytes()))


def _only(recording: dict, rung: str) -> dict:
    """A program that runs the same step three times: an empty kernel, then this rung."""
    count = recording["launches"]["count"]

    def values(column: dict | list) -> list:
        if isinstance(column, list):
            return column
        if "all" in column:
            return [column["all"]] * count
        of = dict(zip(column["rows"], column["values"], strict=True))
        return [of.get(row) for row in range(count)]

    names = recording["ranges"]
    wanted = {i for i, r in enumerate(names) if r.startswith((rung + "/", "patterns/empty/"))}
    ranges = [None if r is None else names[r] for r in values(recording["launches"]["range"])]
    empty = [i for i, r in enumerate(ranges) if r and r.startswith("patterns/empty/")]
    own = [i for i, r in enumerate(ranges) if r and r.startswith(rung + "/")]
    of_step = len(own) // len(empty)
    rows = []
    for turn, first in enumerate(empty):
        rows += [first, *own[turn * of_step : (turn + 1) * of_step]]

    def column(of: dict | list) -> dict | list:
        if isinstance(of, list):
            return [of[row] for row in rows]
        if "all" in of:
            return of
        all_of = values(of)
        left = [(i, all_of[row]) for i, row in enumerate(rows) if all_of[row] is not None]
        return {"rows": [i for i, _ in left], "values": [value for _, value in left]}

    launches = {k: column(v) for k, v in recording["launches"].items() if k != "count"}
    start = 0.0  # steps run one after the other
    for row, duration in enumerate(launches["duration_ns"]):
        launches["start_ns"][row] = start
        start += duration + 1000
    return recording | {
        "processes": [recording["processes"][0] | {"launches_seen": len(rows)}],
        "launches": {"count": len(rows)} | launches,
        "counters": {k: column(v) for k, v in recording["counters"].items()},
        "ranges": ["step" if i in wanted else name for i, name in enumerate(names)],
    }


@pytest.mark.parametrize("ladder", _LADDERS)
def test_ladders_are_climbed_to_the_stop(ladder: str, recording: dict, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    for number, (rung, _, _) in enumerate(_LADDERS[ladder]):
        file = tmp_path / f"{number}.roofscope.json"
        file.write_text(json.dumps(_only(recording, rung)))
        assert _loop.main([str(file), "--ledger", str(ledger)]) == 0
    steps = _loop.read_ledger(ledger)["steps"]
    answers = [
        (
            rung,
            step["action"] and step["action"]["rule"],
            step["outcome"] and step["outcome"]["state"],
        )
        for (rung, _, _), step in zip(_LADDERS[ladder], steps, strict=True)
    ]
    assert answers == _LADDERS[ladder]
    assert "no finding" in steps[-1]["stop"]
    for step in steps:
        if step["outcome"] and step["outcome"]["state"] != "broken":
            assert step["outcome"]["saved_ns"] > 0


def test_a_fused_chain_is_judged_as_a_whole(
    recording: dict, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    for rung in ("unfused", "fused_scalar"):
        file = tmp_path / f"{rung}.roofscope.json"
        file.write_text(json.dumps(_only(recording, f"gelu/{rung}")))
        _loop.main([str(file), "--ledger", str(tmp_path / "ledger.json")])
    said = capsys.readouterr().out
    # Eight launches (1,130 µs) became one (210 µs); see tests/golden/ladders.md.
    assert "promised about 860 µs, reached 927 µs per window: kept" in said
    assert "8 launches → 1, 1.13 ms → 210 µs per window" in said


def test_gains_are_those_of_the_window(
    recording: dict, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """A window has two launches of the kernel, which the edit makes a tenth shorter."""

    def doubled(values: list) -> list:
        return [v for e, g in zip(*[iter(values)] * 2, strict=True) for v in (e, g, g)]

    step = _only(recording, "gelu/fused_scalar")
    launches = step["launches"]
    for column, values in launches.items():
        if isinstance(values, list):
            launches[column] = doubled(values)
    launches["count"] = 9
    for name, column in step["counters"].items():
        if isinstance(column, list):
            step["counters"][name] = doubled(column)
        elif "rows" in column:
            by_row = dict(zip(column["rows"], column["values"], strict=True))
            rows = [(i, by_row.get(row)) for i, row in enumerate((0, 1, 1, 2, 3, 3, 4, 5, 5))]
            kept = [(i, v) for i, v in rows if v is not None]
            step["counters"][name] = {"rows": [i for i, _ in kept], "values": [v for _, v in kept]}
    step["processes"][0]["launches_seen"] = 9
    said = []
    for number, factor in enumerate((1.0, 0.9)):
        durations = [d if i % 3 == 0 else d * factor for i, d in enumerate(launches["duration_ns"])]
        starts = [sum(durations[:i]) + 1000 * i for i in range(9)]
        file = tmp_path / f"{number}.roofscope.json"
        columns = launches | {"duration_ns": durations, "start_ns": starts}
        file.write_text(json.dumps(step | {"launches": columns}))
        assert _loop.main([str(file), "--ledger", str(tmp_path / "ledger.json")]) == 0
        said.append(capsys.readouterr().out)
    action = _loop.read_ledger(tmp_path / "ledger.json")["steps"][0]["action"]
    outcome = _loop.read_ledger(tmp_path / "ledger.json")["steps"][0]["outcome"]
    assert action["window_bound_ns"] == action["bound_ns"]
    bound = _packets.time(action["window_bound_ns"] * 1e-9)
    assert f", at most {bound} of " in said[0]
    assert outcome["per"] == "window"
    saved = _packets.time(outcome["saved_ns"] * 1e-9)
    assert f"promised at most {bound}, reached {saved} per window: " in said[1]


def test_gains_of_one_kernel_are_per_launch(
    bundled: roofscope.Profile, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    ledger = str(tmp_path / "ledger.json")
    for rung in ("transpose_unpadded", "transpose_padded"):
        kernel = f"patterns/{rung}/n=8192,f32"
        assert _loop.main([str(bundled.path), "-k", kernel, "--ledger", ledger]) == 0
    said = capsys.readouterr().out
    assert "next: kb9c3bd/shared-bank-conflict, about 181 µs per launch\n" in said
    assert "promised about 181 µs, reached 155 µs per launch: kept" in said


def test_a_line_never_mixes_launches_and_windows() -> None:
    action = {"id": "k/r", "kernel": "k", "bound_ns": 1e6, "window_bound_ns": 8e6}
    outcome = {"state": "kept", "saved_ns": 9e5}

    def line(**more: object) -> str:
        step = {"number": 1, "action": action, "outcome": outcome | more}
        return _loop.outcome_line(step).split(": ")[1]

    assert line(window_saved_ns=7.2e6) == "promised at most 8.00 ms, reached 7.20 ms per window"
    # It runs another number of times per window.
    assert line(window_saved_ns=None) == "promised at most 1.00 ms, reached 900 µs per launch"
    # The kernel is gone, and the window was compared.
    assert line(per="window") == "promised at most 8.00 ms, reached 900 µs per window"
    # A ledger of an earlier version, and a group of kernels.
    del action["window_bound_ns"]
    assert line() == "promised at most 1.00 ms, reached 900 µs per launch"
    assert line(bound_ns=2e6) == "promised at most 2.00 ms, reached 900 µs per window"


def _with_copies(recording: dict, memory: str, duration: int) -> dict:
    """The recording with a 64 MB copy to the GPU before each step; the kernels wait for it."""
    starts = recording["launches"]["start_ns"]
    at, moved = [], 0
    of_step = len(starts) // 3
    for row in range(len(starts)):
        if row % of_step == 0:
            at.append(int(starts[row] + moved))
            moved += duration + 1000
        starts[row] += moved
    kind = {"kind": "host-to-device", "source": memory, "target": "device"}
    transfers = {"kind": [0, 0, 0], "process": {"all": 0}, "device": {"all": 0}}
    transfers |= {"stream": {"all": 7}, "bytes": {"all": 64_000_000}, "from_graph": {"all": 0}}
    transfers["start_delta_ns"] = [b - a for a, b in zip([0, *at], at, strict=False)]
    transfers["duration_ns"] = {"all": duration}
    processes = [recording["processes"][0] | {"timeline": ["copies", "waits", "launches"]}]
    timeline = {"transfer_kinds": [kind], "transfers": transfers}
    return recording | {"schema": [1, 4], "processes": processes, "timeline": timeline}


def test_an_action_of_the_program_is_proposed_and_judged(recording: dict, tmp_path: Path) -> None:
    ledger = _loop._new_ledger()
    for number, (memory, duration) in enumerate((("pageable", 8_000_000), ("pinned", 1_200_000))):
        file = tmp_path / f"{number}.roofscope.json"
        rung = _only(recording, "gelu/fused_vec4")
        file.write_text(json.dumps(_with_copies(rung, memory, duration)))
        _loop.advance(ledger, roofscope.open(file), None)
    first = ledger["steps"][0]
    assert first["action"]["id"] == "program/pageable-copy"
    assert first["outcome"]["state"] == "kept"
    assert first["outcome"]["saved_ns"] == pytest.approx(6_800_000, rel=0.01)
    # Recorded again without an edit.
    ledger = _loop._new_ledger()
    first_file = tmp_path / "0.roofscope.json"
    again = tmp_path / "again.roofscope.json"
    again.write_text(first_file.read_text() + "\n")
    for file in (first_file, again):
        _loop.advance(ledger, roofscope.open(file), None)
    assert ledger["steps"][0]["outcome"]["state"] == "broken"
    assert "still there" in ledger["steps"][0]["outcome"]["why"]


def test_of_two_actions_of_one_rule_only_the_tried_one_is_not_proposed_again() -> None:
    def found(identity: str, subject: str | None) -> Any:
        return SimpleNamespace(id=identity, rule="host-bound", kernel=None, subject=subject)

    both = found("program/host-bound-aaaa", "aaaa11"), found("program/host-bound-bbbb", "bbbb22")
    # The first was tried while there were two. It still counts as tried if it is the only one left.
    for tried in ([("program/host-bound-aaaa", "aaaa11")], [("program/host-bound-aaaa", None)]):
        assert [is_among(one, tried) for one in both] == [True, False]
        assert is_among(found("program/host-bound", "aaaa11"), tried)
        assert not is_among(found("program/host-bound", "bbbb22"), tried)
    # It was tried while it was alone.
    alone = [("program/host-bound", "aaaa11")]
    assert [is_among(one, alone) for one in both] == [True, False]
    # Ledgers of earlier versions know rules only.
    assert all(is_among(one, [("program/host-bound", None)]) for one in both)
    ledger = _loop._new_ledger() | {"skipped": ["program/host-bound-bbbb"]}
    rejected = not_again(ledger)
    assert [why_not(one, (), rejected) for one in both] == [None, "skipped"]


def test_the_order_is_that_of_the_report(samples: Path) -> None:
    profile = roofscope.open(samples / "h200_torchrun.roofscope.json.gz")
    rules = list(dict.fromkeys(found.rule for found in _packets.in_order(profile)))
    assert profile.program
    assert rules[:2] == [action.rule for action in profile.program.actions]
    assert "uneven-ranks" in rules[:2]


def test_a_trial_in_vain_leaves_the_programs_own_kernels(bundled: roofscope.Profile) -> None:
    kernel = "patterns/transpose_unpadded/n=8192,f32"
    ledger = _loop._new_ledger()
    rules = ["shared-bank-conflict"]
    _loop._loop_trials.add(
        ledger,
        [
            {"name": "x", "outcome": "slower", "sentence": "X: slower"}
            | {"suggested_by": rules, "settles": rules}
        ],
    )
    found, _ = _loop._pick(bundled, kernel, ledger)
    assert found and found.rule == "shared-bank-conflict"
    assert not found.can_be_tried
    _loop.advance(ledger, bundled, kernel)
    assert "X: slower" not in _loop.said_of_step(ledger, ledger["steps"][-1])
    # As if it were a library's kernel.
    raw = json.loads(json.dumps(bundled.data))
    for one in (f for k in raw["kernels"] for f in k["findings"]):
        one["can_be_tried"] = True
    library = roofscope.Profile(bundled.path)
    library.data = raw
    assert _loop._pick(library, kernel, ledger)[0] is None


def test_two_ranges_of_several_kernels_need_two_recordings(
    bundled: roofscope.Profile, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger.json"
    _step(ledger, bundled, "gelu/unfused/n=67108864,f32")
    steps = _step(ledger, bundled, "gelu/fused_scalar/n=67108864,f32")["steps"]
    assert steps[0]["outcome"]["state"] == "not-comparable"
    assert "two recordings" in steps[0]["outcome"]["why"]


def test_what_was_done_in_part_may_be_done_further(
    bundled: roofscope.Profile, tmp_path: Path
) -> None:
    ledger = _loop._new_ledger()
    kernel = "patterns/copy_1b/bytes=268435456,u8"
    _loop.advance(ledger, bundled, kernel)
    before = ledger["steps"][0]["action"]["id"]
    for state, again in (("partly", before), ("broken", None)):
        ledger["steps"] = ledger["steps"][:1]
        ledger["steps"][0]["outcome"] = {"state": state}
        found, _ = _loop._pick(bundled, kernel, ledger)
        assert (found.id if found else None) == again


def _recorded_again(profile: Path, to: Path) -> roofscope.Profile:
    """As if the program had been recorded again without an edit."""
    to.write_bytes(gzip.compress(gzip.decompress(profile.read_bytes()) + b"\n"))
    return roofscope.open(to)


def test_nothing_is_proposed_twice(bundled: roofscope.Profile, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.json"
    kernel = "patterns/transpose_unpadded/n=8192,f32"
    _step(ledger, bundled, kernel)
    again = _recorded_again(bundled.path, tmp_path / "again.json.gz")  # without an edit
    steps = _step(ledger, again, kernel)["steps"]
    assert steps[0]["outcome"]["state"] == "broken"
    assert steps[1]["action"] is None
    assert "untried" in steps[1]["stop"]


def test_the_same_recording_is_refused(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = samples / "h200_source.roofscope.json.gz"
    copy = tmp_path / "copy.json.gz"
    copy.write_bytes(profile.read_bytes())
    plain, other = tmp_path / "plain.json", tmp_path / "other.json.gz"
    plain.write_bytes(gzip.decompress(profile.read_bytes()))
    other.write_bytes(gzip.compress(plain.read_bytes(), 1))
    assert _loop.main([str(profile)]) == 0
    before = Path("roofscope-loop.json").read_text()
    for same in (profile, copy, plain, other):
        with pytest.raises(roofscope.RoofscopeError, match="the same recording as before") as no:
            _loop.main([str(same)])
        assert no.value.exit_code == 65
    assert Path("roofscope-loop.json").read_text() == before


def test_an_earlier_recording_is_refused_too(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = samples / "h200_source.roofscope.json.gz"
    other = _recorded_again(profile, tmp_path / "b.json.gz").path
    assert [_loop.main([str(one)]) for one in (profile, other)] == [0, 0]
    with pytest.raises(roofscope.RoofscopeError, match=r"as before \(step 1\)"):
        _loop.main([str(profile)])


def test_a_question_about_a_kernel_judges_nothing(
    with_source: roofscope.Profile, tmp_path: Path
) -> None:
    ledger = _loop._new_ledger()
    for pattern in (None, with_source.kernels[0].id, None):
        _loop.advance(ledger, with_source, pattern)
        assert [step["kernel"] for step in ledger["steps"]] == [pattern]
        assert ledger["steps"][0]["outcome"] is None


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["/opt/app", "-n", "3"], "app"),
        (["python3", "-u", "run/train.py", "--lr", "1"], "train.py"),
        (["torchrun", "--nproc-per-node", "2", "train.py"], "train.py"),
        (["python3", "-m", "model.train", "--lr", "1"], "model.train"),
        ([], None),
    ],
)
def test_programs_are_told_apart_by_what_their_command_runs(
    command: list[str], name: str | None
) -> None:
    assert program_name(tuple(command)) == name


def test_another_program_is_refused(
    recording: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        step = _only(recording, "gelu/unfused")
        step["capture"] = step["capture"] | {"command": [f"./{name}", "4"]}
        Path(f"{name}.json").write_text(json.dumps(step))
    assert _loop.main(["one.json"]) == 0
    before = Path("roofscope-loop.json").read_text()
    with pytest.raises(roofscope.RoofscopeError, match="another program") as no:
        _loop.main(["two.json"])
    assert no.value.exit_code == 65
    assert Path("roofscope-loop.json").read_text() == before
    assert _loop.main(["two.json", "--same-program"]) == 0


def test_recordings_are_named_relative_to_the_ledger(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = samples / "h200_source.roofscope.json.gz"
    (tmp_path / "sub").mkdir()
    for name in ("a.json.gz", "b.json.gz"):
        _recorded_again(source, tmp_path / name)
    (tmp_path / "b.json.gz").write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert _loop.main(["a.json.gz"]) == 0
    monkeypatch.chdir(tmp_path / "sub")
    assert _loop.main(["--ledger", "../roofscope-loop.json", "../b.json.gz"]) == 0
    steps = _loop.read_ledger(tmp_path / "roofscope-loop.json")["steps"]
    assert [step["profile"] for step in steps] == ["a.json.gz", "b.json.gz"]
    assert "is gone" not in steps[0]["outcome"]["why"]


def test_a_new_ledger_has_the_usual_permissions(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = os.umask(0o022)
    try:
        assert _loop.main([str(samples / "h200_source.roofscope.json.gz")]) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("roofscope-loop.json").stat().st_mode) == 0o644


def test_an_action_over_several_kernels_is_rejected_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded = Path(__file__).parents[2] / "tests/frameworks/recorded"
    profile = recorded / "torch_step.roofscope.json.gz"
    first = roofscope.open(profile).program.actions[0]  # type: ignore[union-attr]
    assert len(first.findings) > 1
    for identity in (first.id, first.findings[-1]):
        Path("roofscope-loop.json").unlink(missing_ok=True)
        assert _loop.main([str(profile)]) == 0
        assert f"next: {first.id}, {first.gain_text}\n" in capsys.readouterr().out
        assert _loop.main(["--skip", identity]) == 0
        assert f"never proposed: {identity}" in capsys.readouterr().out
        assert _loop.main([str(profile)]) == 0
        said = capsys.readouterr().out
        assert first.rule not in said.splitlines()[0]
        assert f"not again: {first.id} (skipped)" in said
        assert _loop.main(["undo", "--skip", identity]) == 0
        ledger = _loop.read_ledger(Path("roofscope-loop.json"))
        assert (ledger["skipped"], ledger["skips"]) == ([], [])


def test_a_recording_that_was_overwritten_is_not_compared_with_itself(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = samples / "h200_source.roofscope.json.gz"
    app = tmp_path / "app.json.gz"
    app.write_bytes(profile.read_bytes())
    assert _loop.main([str(app)]) == 0
    _recorded_again(profile, app)
    assert _loop.main([str(app)]) == 0
    outcome = _loop.read_ledger(Path("roofscope-loop.json"))["steps"][0]["outcome"]
    assert outcome["state"] == "not-comparable"
    assert "overwritten" in outcome["why"]


def test_undo_takes_the_last_step_back(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = samples / "h200_source.roofscope.json.gz"
    assert _loop.main([str(profile)]) == 0
    one = _loop.read_ledger(Path("roofscope-loop.json"))
    _recorded_again(profile, tmp_path / "again.json.gz")
    assert _loop.main(["again.json.gz"]) == 0
    capsys.readouterr()
    assert _loop.main(["undo"]) == 0
    assert capsys.readouterr().out.startswith("taken back: 2. ")
    assert _loop.read_ledger(Path("roofscope-loop.json")) == one
    assert _loop.main(["undo"]) == 0
    with pytest.raises(roofscope.RoofscopeError, match="no steps"):
        _loop.main(["undo"])


def test_skipping_checks_the_id_and_goes_on(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = samples / "h200_source.roofscope.json.gz"
    first = roofscope.open(profile).findings[0].id
    for wrong in (["--skip", first], ["--skip", "k000000/none", str(profile)]):
        with pytest.raises(roofscope.RoofscopeError) as no:  # nothing has this id yet, or at all
            _loop.main(wrong)
        assert no.value.exit_code == 64
    assert not Path("roofscope-loop.json").exists()
    assert _loop.main(["show"]) == 0
    assert capsys.readouterr().out == "No steps yet: give a profile.\n"
    assert _loop.main(["--skip", first, str(profile)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("next: ") and first not in said.splitlines()[0]
    assert _loop.main(["show"]) == 0
    assert f"never proposed: {first}" in capsys.readouterr().out
    # To skip what was just proposed gives the next action for the same recording.
    second = said.split("next: ")[1].split(",")[0]
    assert _loop.main(["--skip", second, str(profile)]) == 0
    assert second not in capsys.readouterr().out.split("next: ")[-1].splitlines()[0]
    assert len(_loop.read_ledger(Path("roofscope-loop.json"))["steps"]) == 1


def test_skipped_actions_stay_out(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = samples / "h200_source.roofscope.json.gz"
    first = roofscope.open(profile).findings[0].id
    assert _loop.main([str(profile)]) == 0
    assert _loop.main(["--skip", first]) == 0
    _recorded_again(profile, tmp_path / "again.json.gz")
    capsys.readouterr()
    assert _loop.main(["again.json.gz"]) == 0
    said = capsys.readouterr().out
    assert said.split("next: ")[1].split(",")[0] != first
    assert f"not again: {first} (skipped)" in said
    assert _loop.main([]) == 0
    assert "open" in capsys.readouterr().out


def test_a_lost_profile_is_not_comparable(
    with_source: roofscope.Profile, samples: Path, tmp_path: Path
) -> None:
    ledger, copy = tmp_path / "ledger.json", tmp_path / "before.roofscope.json.gz"
    _step(ledger, _recorded_again(with_source.path, copy), None)  # type: ignore[arg-type]
    copy.unlink()
    steps = _step(ledger, with_source, None)["steps"]  # type: ignore[arg-type]
    assert steps[0]["outcome"]["state"] == "not-comparable"


def test_other_files_are_not_taken_for_ledgers(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps({"format": "else"}))
    with pytest.raises(roofscope.RoofscopeError):
        _loop.read_ledger(path)
    assert json.loads(path.read_text()) == {"format": "else"}


def test_writers_at_the_same_time_lose_nothing(bundled: roofscope.Profile, tmp_path: Path) -> None:
    ledger = tmp_path / "roofscope-loop.json"
    _step(ledger, bundled, None)  # type: ignore[arg-type]
    command = [sys.executable, "-m", "roofscope", "loop", "--skip"]
    ids = [found.id for found in bundled.findings[:8]]
    running = [subprocess.Popen([*command, one], cwd=tmp_path) for one in ids]
    assert [one.wait() for one in running] == [0] * len(ids)
    assert sorted(_loop.read_ledger(tmp_path / "roofscope-loop.json")["skipped"]) == sorted(ids)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_ledger_behind_a_link_is_the_same_ledger(
    bundled: roofscope.Profile, tmp_path: Path
) -> None:
    file, link = tmp_path / "file.json", tmp_path / "folder" / "link.json"
    link.parent.mkdir()
    link.symlink_to("../file.json")
    _step(file, bundled, None)  # type: ignore[arg-type]
    file.chmod(0o640)
    command = [sys.executable, "-m", "roofscope", "loop", "--ledger"]
    ids = [found.id for found in bundled.findings[:4]]
    places = [file, link, file, link]
    running = [
        subprocess.Popen([*command, place, "--skip", one])
        for place, one in zip(places, ids, strict=True)
    ]
    assert [one.wait() for one in running] == [0] * 4
    assert link.is_symlink()
    assert sorted(_loop.read_ledger(file)["skipped"]) == sorted(ids)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_ledger_that_another_loop_holds_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    with (
        _file_lock.locked(path),
        pytest.raises(roofscope.RoofscopeError) as refused,
        _file_lock.locked(path, patience=0.1),
    ):
        pass
    assert refused.value.exit_code == 75
    with _file_lock.locked(path, patience=0.1):
        pass


def test_a_path_is_quoted_where_a_command_is_named(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    source = (samples / "h200_source.roofscope.json.gz").read_bytes()
    names = ("a; touch owned #.json.gz", "-rf.json.gz", "e\x1b[2J'`id`\n.json.gz", "\udcff.json.gz")
    for name in names:
        Path(name).write_bytes(source)
        assert _loop.main(["--ledger", "ledger", "--", name]) == 0
        said = capsys.readouterr().out
        assert said.replace("\n", "").isprintable()
        command = said.splitlines()[-1].split("roofscope show ")[1]
        words = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True
        ).stdout.split(b"\0")
        assert Path(os.fsdecode(words[1])).samefile(name)
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["ledger", name])
        assert _loop.read_ledger(Path("ledger"))["steps"][0]["profile"] == name
        Path(name).unlink()
        Path("ledger").unlink()


def test_what_a_ledger_says_reaches_the_terminal_without_escapes(
    with_source: roofscope.Profile, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "ledger.json"
    step = _loop.advance(_loop._new_ledger(), with_source, None)
    step["profile"] = "gone\x1b]0;owned\x07"
    path.write_text(json.dumps(_loop._new_ledger() | {"steps": [step]}))
    again = _recorded_again(with_source.path, tmp_path / "again.json.gz")
    assert _loop.main(["--ledger", str(path), str(again.path)]) == 0
    assert _loop.main(["--ledger", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out
