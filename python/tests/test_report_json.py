# SPDX-License-Identifier: Apache-2.0
import io
import json
import random
from pathlib import Path

import pytest

import roofscope
from roofscope import _packets, _report_json


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
    tracemalloc.start()
    data = _report_json.read(io.BytesIO(text), _packets.wants("program"))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(data["kernels"]) == 3000
    assert most < 0.8 * len(text)  # all of it as Python objects would take several times the text
