# SPDX-License-Identifier: Apache-2.0
"""A profile's roofline and account as figures of matplotlib, which is imported when used.

All numbers come from the report's JSON; only the places of lines are calculated here.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofscope._executable import RoofscopeError, needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Classes of the account in the words of the report, each with a colour.
CLASSES = {
    "kernels": ("kernels", "#2a9d8f"),
    "communication": ("communication", "#457b9d"),
    "copies": ("copies, no kernel running", "#e9c46a"),
    "idle_launch": ("waiting for launches", "#f4a261"),
    "idle_sync": ("idle after a synchronisation", "#e76f51"),
    "idle_alloc": ("idle during allocation", "#b5838d"),
    "idle_load": ("idle while code loads", "#8d99ae"),
    "idle_host": ("idle during host work", "#6d597a"),
    "idle_unknown": ("no kernel, cause not recorded", "#adb5bd"),
}
_LEVELS = {"DRAM": "#d62828", "L2": "#f77f00", "L1": "#1d6fa3", "shared": "#5a3e85"}
#: So many kernels get a name beside their dot: those with the most time.
_NAMED = 5
_LONGEST_NAME, _LONGEST_TITLE = 32, 80


@dataclass(frozen=True)
class Plot:
    """A figure. `.save("x.png")` writes it; `.figure` is matplotlib's figure, for changes."""

    figure: Figure

    def save(self, path: str | os.PathLike[str], dpi: int = 150) -> Path:
        """Writes the figure in the format of the suffix: .png, .svg, .pdf."""
        try:
            self.figure.savefig(path, dpi=dpi, bbox_inches="tight")
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise RoofscopeError(f"{os.fspath(path)}: {said}", 73) from error
        return Path(path)

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.figure.savefig(picture, format="png", bbox_inches="tight")
        return picture.getvalue()


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    # Without pyplot: it would keep the figure, and choose a window system.
    figure = needed("matplotlib.figure", "plot").Figure(figsize=(width, height))
    return figure, figure.add_subplot()


def _plain(text: str, longest: int = _LONGEST_NAME) -> str:
    """A name from the profiled program, without "$", which would begin a formula."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    short = line if len(line) <= longest else line[: longest - 1] + "…"
    return short.replace("$", r"\$")


def _roofs(data: dict[str, Any], kind: str, key: str) -> dict[str, dict[str, Any]]:
    """The roofs of the first GPU by level or precision; a measured one replaces the theoretical."""
    roofs = [r for r in data["roofs"] if r["kind"] == kind and r["device"] == 0]
    return {r[key]: r for r in sorted(roofs, key=lambda r: bool(r["measured"]))}


def roofline(data: dict[str, Any], title: str) -> Plot:
    """Kernels of the first GPU under its roofs; a dot for each level of memory.

    RoofscopeError (69) if the profile has no kernel with floating-point operations.
    """
    dots = [
        (kernel, dot)
        for kernel in data["kernels"]
        if kernel["device"] == 0
        for dot in kernel["roofline"]
        if dot["flops_per_byte"] and dot["flops_per_s"]
    ]
    if not dots:
        raise RoofscopeError(
            "no roofline: no kernel of this profile has floating-point operations that were "
            "counted",
            69,
        )
    figure, axes = _axes(9, 6)
    bandwidths = _roofs(data, "bandwidth", "level")
    used = {dot["precision"] for _, dot in dots}
    peaks = {p: r for p, r in _roofs(data, "compute", "precision").items() if p in used}
    top = max([r["flops_per_s"] for r in peaks.values()] + [d["flops_per_s"] for _, d in dots])
    left = min(dot["flops_per_byte"] for _, dot in dots) / 2
    right = max(
        [dot["flops_per_byte"] for _, dot in dots]
        + [top / r["bytes_per_s"] for r in bandwidths.values()]
    )
    for precision, roof in peaks.items():
        axes.plot([left, right * 4], [roof["flops_per_s"]] * 2, color="#444444", linewidth=1)
        axes.annotate(
            precision,
            (right * 4, roof["flops_per_s"]),
            textcoords="offset points",
            xytext=(-4, 4),
            ha="right",
            fontsize=8,
        )
    for level, roof in bandwidths.items():
        colour = _LEVELS.get(level, "#444444")
        end = top / roof["bytes_per_s"]
        style = "-" if roof["measured"] else "--"
        line = [left * roof["bytes_per_s"], top]
        axes.plot([left, end], line, color=colour, linewidth=1, linestyle=style)
        mine = [(kernel, dot) for kernel, dot in dots if dot["level"] == level]
        axes.scatter(
            [dot["flops_per_byte"] for _, dot in mine],
            [dot["flops_per_s"] for _, dot in mine],
            s=[20 + 180 * (kernel["time_share_ratio"] or 0) for kernel, _ in mine],
            color=colour,
            alpha=0.7,
            label=f"{level} ({'measured' if roof['measured'] else 'theoretical'} roof)",
        )
    named: list[int] = []
    for kernel, dot in dots:
        if kernel["rank"] in named or len(named) == _NAMED:
            continue
        named.append(kernel["rank"])
        axes.annotate(
            _plain(kernel["name"]),
            (dot["flops_per_byte"], dot["flops_per_s"]),
            textcoords="offset points",
            xytext=(5, 5),
            fontsize=8,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("FLOP per byte")
    axes.set_ylabel("FLOP/s")
    axes.set_title(_plain(title, _LONGEST_TITLE))
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8, loc="lower right")
    return Plot(figure)


def account(program: dict[str, Any] | None, title: str) -> Plot:
    """Where the time of the program's window goes: a bar for each class that was recorded.

    RoofscopeError (69) if the profile has no account.
    """
    shares = (program or {}).get("shares") or {}
    recorded = {name: shares[name] for name in CLASSES if shares.get(name) is not None}
    if not program or not recorded:
        raise RoofscopeError("no account: this profile has no times of the whole program", 69)
    figure, axes = _axes(8, 1.2 + 0.35 * len(recorded))
    words = [CLASSES[name][0] for name in recorded]
    percent = [100 * share for share in recorded.values()]
    bars = axes.barh(words, percent, color=[CLASSES[name][1] for name in recorded])
    axes.bar_label(bars, [f"{value:.3g} %" for value in percent], padding=3, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 112)
    axes.set_xlabel("% of the window")
    axes.set_title(_plain(title, _LONGEST_TITLE))
    return Plot(figure)
