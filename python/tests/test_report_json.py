# SPDX-License-Identifier: Apache-2.0
import io
import json
import random
from pathlib import Path

import pytest

import roofscope
from roofscope import _listed_profile, _loop, _packets, _report_json, _try


class _Drops(io.BytesIO):
    """Returns a few bytes per read, as a pipe may."""

    def read(self, most: int | None = -1) -> bytes:  # type: ignore[override]
        return super().read(random.Random(self.tell()).randint(1, 40))


def test_whatever_the_pieces_it_is_the_same_value() -> None:
    data = {
        "a": [1, -2.5e-7, None, True, 'µ…"\\ \n'],
        "kernels": [],
        "number": 1234567890,
        "b": {"c": {}},
    }
    for text in (json.dumps(data), json.dumps(data, indent=2, ensure_ascii=False)):
        assert _report_json.read(_Drops(text.encode()), lambda _: True) == data


@pytest.mark.parametrize("text", ["", "{", '{"a"', '{"a":1', "[]", '{"kernels":[{"a":1}', "{1:2}"])
def test_half_a_report_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        _report_json.read(io.BytesIO(text.encode()), lambda _: True)


def test_packets_are_those_of_the_whole_report(samples: Path) -> None:
    for name in ("h200_source", "h200_bundled"):
        path = samples / f"{name}.roofscope.json.gz"
        whole = roofscope.open(path)
        for identity in _packets.known_ids(whole):
            part = _packets.read(roofscope.open(path), identity)
            assert _packets.show(part, identity) == _packets.show(whole, identity), identity


def test_many_kernels_take_little_memory(
    bundled: roofscope.Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tracemalloc

    data = dict(bundled.data)
    kernel = data["kernels"][0]
    data["kernels"] = [kernel | {"rank": i + 1, "id": f"k{i:06x}"} for i in range(3000)]
    text = json.dumps(data).encode()
    for moves in (False, True):
        tracemalloc.start()
        data = _report_json.read(io.BytesIO(text), _packets.wants("program"), moves=moves)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(data["kernels"]) == 3000
        # All of it as Python objects would take several times the text.
        assert most < 0.8 * len(text)


def test_the_loop_and_try_read_only_what_they_need(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = samples / "h200_bundled.roofscope.json.gz"
    whole = roofscope.open(path)
    unpadded, padded = (f"patterns/transpose_{one}/n=8192,f32" for one in ("unpadded", "padded"))
    kept: list[int] = []
    read = _report_json.read
    compared = _report_json.read_comparison

    def counted(data: dict) -> dict:
        kept.append(sum(bool(kernel["quantities"]) for kernel in data["kernels"]))
        return data

    def no_json(*_: object, **__: object) -> dict:
        raise AssertionError("all of the JSON was read")

    monkeypatch.setattr("roofscope._executable.run_json", no_json)
    monkeypatch.setattr(_report_json, "read", lambda *w, **o: counted(read(*w, **o)))
    monkeypatch.setattr(_report_json, "read_comparison", lambda *w, **o: counted(compared(*w, **o)))
    ledger = tmp_path / "ledger"
    assert _loop.main(["--ledger", str(ledger), str(path)]) == 0
    assert _loop.main(["--ledger", str(ledger), "undo"]) == 0
    for pattern in (unpadded, padded):
        assert _loop.main(["--ledger", str(ledger), str(path), "--kernel", pattern]) == 0
    # The last: what `compare` says of the kernel.
    assert kept == [0, 0, 0, 0, 1]
    first = _loop.read_ledger(ledger)["steps"][0]
    assert first["outcome"]["state"] == "kept"
    found = next(f for f in whole.findings if f.id == first["action"]["id"])
    assert [m["to"] for m in first["action"]["expected"]] == [m.after for m in found.expected]
    assert found.expected
    lists = _listed_profile.listed(path)
    assert [f.expected for f in lists.findings] == [f.expected for f in whole.findings]
    assert [one.trial for one in _try.suggested(lists)] == [
        one.trial for one in _try.suggested(whole)
    ]


def test_json_of_our_own_hides_nothing() -> None:
    data = {"\udcff\u202e": ["µ\x1b漢🚀\U000e0041", '"\\\n', 1.5, None]}
    text = _report_json.written(data)
    assert json.loads(text.encode()) == data
    assert text.replace("\n", "").isprintable()
    assert "µ" in text and "漢🚀" in text


def test_what_is_no_json_is_one_sentence(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscope._executable.executable", lambda: Path("/bin/echo"))
    with pytest.raises(roofscope.RoofscopeError, match="printed no JSON"):
        _listed_profile.listed(samples / "h200_bundled.roofscope.json.gz")
    with pytest.raises(roofscope.RoofscopeError, match="no such profile"):
        _listed_profile.listed(samples / "none")
