# SPDX-License-Identifier: Apache-2.0
"""Report, packet, loop, server, Python and notebook name the same first action and number."""

import html
import re
from pathlib import Path

import pytest

import roofscope
from roofscope import _loop, _packets

_ROOT = Path(__file__).parents[2]
_RECORDED = [
    *sorted((_ROOT / "tests/frameworks/recorded").glob("*.gz")),
    *sorted((_ROOT / "profile/samples").glob("*.gz")),
]
_GAIN = r"(?:at most|about) [\d.,]+ (?:ns|µs|ms|s)\b"


def _first_of_report(text: str) -> str | None:
    """The gain of the first action."""
    _, found, after = " ".join(text.split()).partition("What to do first")
    if not found:
        return None
    gain = re.search(_GAIN, after)
    return gain and gain[0]


def _first_of_loop(text: str) -> tuple[str, str] | None:
    next_ = re.search(rf"^next: (\S+), ({_GAIN})", text, re.M)
    return next_ and (next_[1], next_[2])


def _first_of_card(text: str) -> str | None:
    actions = re.search(r"<ol>(.*)</ol>", text, re.S)
    gain = re.search(_GAIN, html.unescape(actions[1])) if actions else None
    return gain and gain[0]


@pytest.mark.parametrize("path", _RECORDED, ids=lambda path: path.name.split(".")[0])
def test_all_surfaces_name_the_same_first_action(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    profile = roofscope.open(path)
    packet = _packets.show(profile, "program")
    _loop.main([str(path), "--ledger", str(tmp_path / "ledger.json")])
    loop = capsys.readouterr().out
    first = _first_of_loop(loop)
    assert (first is None) == loop.startswith(("stop: ", "cannot tell: "))
    numbered = re.search(rf"^1\. (\S+): ({_GAIN})", packet, re.M)
    assert (numbered and (numbered[1], numbered[2])) == first
    next_ = re.search(r"^Next: roofscope show (\S+) ", packet, re.M)
    assert (next_ and next_[1]) == (first and first[0])
    gain = first and first[1]
    assert _first_of_report(profile.report("text")) == gain
    assert _first_of_card(profile._repr_html_()) == gain
    assert profile.program
    assert next(iter(profile.program.proposals), None) == (first and first[0])
    if profile.program.actions:
        action = profile.program.actions[0]
        assert (action.id, re.match(_GAIN, action.gain_text)[0]) == first  # type: ignore[index]
    if first:
        # What is shown under this id says the same number.
        assert f"{gain}" in _packets.show(profile, first[0])
        assert _loop.main(["--skip", first[0], "--ledger", str(tmp_path / "ledger.json")]) == 0
