# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import roofscope
from roofscope import _plots

PNG = b"\x89PNG"


def test_without_matplotlib_it_is_one_sentence(
    bundled: roofscope.Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ["matplotlib", *(m for m in sys.modules if m.startswith("matplotlib."))]:
        monkeypatch.setitem(sys.modules, name, None)
    for draw in (bundled.roofline, bundled.account):
        with pytest.raises(roofscope.RoofscopeError) as said:
            draw()
        assert str(said.value) == (
            "this needs the package matplotlib (pip install 'roofscope[plot]')"
        )


def test_matplotlib_is_imported_only_when_something_is_drawn(bundled: roofscope.Profile) -> None:
    code = (
        "import sys, roofscope; roofscope.Plot; "
        f"roofscope.open({str(bundled.path)!r})._repr_html_(); "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_roofline_has_the_reports_dots(bundled: roofscope.Profile, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = bundled.roofline()
    (axes,) = plot.figure.axes
    shown = sorted(tuple(xy) for dots in axes.collections for xy in dots.get_offsets().tolist())
    wanted = [d for k in bundled.data["kernels"] for d in k["roofline"] if d["flops_per_byte"]]
    assert shown == sorted((d["flops_per_byte"], d["flops_per_s"]) for d in wanted)
    assert "NVIDIA H200" in axes.get_title()
    assert plot.save(tmp_path / "x.png").read_bytes().startswith(PNG)
    assert "<svg" in plot.save(tmp_path / "x.svg").read_text()
    assert plot._repr_png_().startswith(PNG)
    for name in ("x.nothing", "none/x.png"):
        with pytest.raises(roofscope.RoofscopeError, match=re.escape(str(tmp_path / name))):
            plot.save(tmp_path / name)


def test_the_account_has_the_reports_shares(samples: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    profile = roofscope.open(samples / "h200_torchrun.roofscope.json.gz")
    plot = profile.account()
    (axes,) = plot.figure.axes
    bars = dict(
        zip(
            [label.get_text() for label in axes.get_yticklabels()],
            [bar.get_width() for bar in axes.patches],
            strict=True,
        )
    )
    assert bars == {
        "kernels": pytest.approx(53.148, rel=1e-4),
        "communication": pytest.approx(13.792, rel=1e-4),
        "no kernel, cause not recorded": pytest.approx(33.060, rel=1e-4),
    }
    assert plot.save(tmp_path / "x.png").read_bytes().startswith(PNG)


def test_classes_have_the_reports_words(bundled: roofscope.Profile) -> None:
    said = (ROOT / "reports/program/program_words.cpp").read_text(encoding="utf-8")
    assert bundled.program is not None
    # idle_rank is always null.
    assert set(_plots.CLASSES) | {"idle_rank"} == set(bundled.program.shares)
    for words, _ in _plots.CLASSES.values():
        assert f'say(language, "{words}")' in said


def test_what_cannot_be_drawn_is_one_sentence(samples: Path) -> None:
    pytest.importorskip("matplotlib")
    profile = roofscope.open(samples / "h200_atomics.roofscope.json.gz")
    with pytest.raises(roofscope.RoofscopeError, match="no roofline: no kernel"):
        profile.roofline()
    profile.data["program"] = None
    with pytest.raises(roofscope.RoofscopeError, match="no account: this profile"):
        profile.account()


def test_a_name_is_no_formula(bundled: roofscope.Profile, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    profile = roofscope.open(bundled.path)
    profile.data["kernels"][0]["name"] = r"$\frac{$ \n kernel"
    assert profile.roofline().save(tmp_path / "x.png").read_bytes().startswith(PNG)
