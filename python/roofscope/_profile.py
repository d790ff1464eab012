# SPDX-License-Identifier: Apache-2.0
"""A profile as Python values. Missing values are None, never 0; durations are in seconds."""

from __future__ import annotations

import base64
import functools
import html
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from roofscope import _executable, _tables
from roofscope._comparison import Comparison
from roofscope._executable import RoofscopeError
from roofscope._records import (
    Finding,
    Kernel,
    Program,
    finding_of,
    kernel_ids,
    kernel_of,
    program_of,
    time_of,
)

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from roofscope._plots import Plot
Window = Literal["auto", "loop", "run"]

#: Arrow types of the columns of launches. All others are counters: double.
_LAUNCH_COLUMNS = dict.fromkeys(("profile", "kernel", "name", "range"), "string") | dict.fromkeys(
    (
        "launch", "device", "process", "rank", "stream", "grid_x", "grid_y", "grid_z", "block_x",
        "block_y", "block_z", "dynamic_shared_bytes", "from_graph", "declared_bytes",
    ),
    "int64",
)  # fmt: skip


class Profile:
    """A profile file. Data is read on first use, from `roofscope report --format json`."""

    def __init__(self, path: str | os.PathLike[str], window: Window = "auto") -> None:
        name = os.fspath(path)
        #: By which part of its run the program is judged (docs/program.md): loop, run or auto.
        self.window: Window = window
        if name == "sample" and not os.path.exists(name):
            name = str(_executable.sample() or name)
        #: The file.
        self.path = Path(name)

    def __repr__(self) -> str:
        window = "" if self.window == "auto" else f", window={self.window!r}"
        return f"roofscope.open({str(self.path)!r}{window})"

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        """The report's JSON (docs/reports.md)."""
        if not self.path.exists():
            raise RoofscopeError(f"no such profile: {self.path}", 66)
        return _executable.run_json("report", self.path, f"--window={self.window}")

    @property
    def gpu(self) -> str | None:
        """The name of the first GPU; None if the profile has none."""
        devices = self.data["devices"]
        return str(devices[0]["name"]) if devices else None

    @property
    def command(self) -> tuple[str, ...]:
        """The program and its arguments; empty if it is not known."""
        return tuple(self.data["profile"]["command"])

    @property
    def created(self) -> datetime | None:
        """When it was recorded, with a time zone; None if the profile does not say it."""
        return time_of(self.data["profile"]["created_utc"])

    @functools.cached_property
    def program(self) -> Program | None:
        """Where the program's time goes; None if the profile has no account of it."""
        raw = self.data.get("program")
        return program_of(raw) if raw else None

    @functools.cached_property
    def kernels(self) -> list[Kernel]:
        """All kernels, most GPU time first."""
        raw = self.data["kernels"]
        return [kernel_of(k, k.get("id") or i) for k, i in zip(raw, kernel_ids(raw), strict=True)]

    @functools.cached_property
    def findings(self) -> list[Finding]:
        """Findings of all kernels and of the sequence of launches; the largest gain first."""
        found = [f for kernel in self.kernels for f in kernel.findings]
        found += [finding_of(f, None, None) for f in self.data.get("findings", ())]
        return sorted(found, key=lambda f: -(f.gain_total or f.gain or 0))

    def kernel(self, name: str) -> Kernel:
        """The kernel with this id, name, full name or NVTX range that takes the most time.

        KeyError if there is none.
        """
        for kernel in self.kernels:
            if name in (kernel.id, kernel.id.split("-")[0], kernel.name):
                return kernel
            if name in (kernel.full_name, kernel.range):
                return kernel
        raise KeyError(name)

    def report(self, format: str = "markdown", budget: int | None = None, **options: str) -> str:
        """The report as text. `options` are those of the command: `kernel="gemm"`, `lang="zh"`."""
        arguments = ["--format", format]
        if self.window != "auto":
            arguments.append(f"--window={self.window}")
        if budget is not None:
            arguments += ["--budget", str(budget)]
        for option, value in options.items():
            arguments.append(f"--{option.replace('_', '-')}={value}")
        return _executable.run("report", self.path, *arguments).stdout

    def compare(self, other: Profile | str | os.PathLike[str]) -> Comparison:
        """What changed from this profile to `other`, both judged by the same window.

        A file gets this profile's window. RoofscopeError if `other` has another one.
        """
        candidate = other if isinstance(other, Profile) else Profile(other, self.window)
        return Comparison(self, candidate)

    def to_arrow(self) -> pyarrow.Table:
        """A row per kernel: the fields of `Kernel`, and a column per quantity."""
        return _tables.arrow(self.kernels)

    def to_pandas(self) -> pandas.DataFrame:
        """A row per kernel: the fields of `Kernel`, and a column per quantity."""
        return _tables.to_pandas(self.kernels)

    def to_polars(self) -> polars.DataFrame:
        """A row per kernel: the fields of `Kernel`, and a column per quantity."""
        return _tables.to_polars(self.kernels)

    def launches(self) -> pyarrow.Table:
        """A row per launch, in their order: its kernel, shape, times, and a column per counter.

        Needs pyarrow (`pip install roofscope[scan]`). The columns are those of
        `roofscope report --format launches-csv`; what was not measured is null.
        """
        csv = _executable.needed("pyarrow.csv", "scan")
        with _executable.output_of("report", self.path, "--format", "launches-csv") as output:
            names = output.readline().decode().strip().split(",")
            output.seek(0)
            types = {name: _LAUNCH_COLUMNS.get(name, "double") for name in names}
            convert = csv.ConvertOptions(column_types=types, strings_can_be_null=False)
            return csv.read_csv(output, convert_options=convert)

    def launches_to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Writes `launches()` to a file."""
        parquet = _executable.needed("pyarrow.parquet", "scan")
        parquet.write_table(self.launches(), os.fspath(path))
        return Path(path)

    def roofline(self) -> Plot:
        """The kernels under the GPU's roofs; `.save("roofline.png")` writes it.

        Needs matplotlib (`pip install roofscope[plot]`).
        """
        from roofscope import _plots

        return _plots.roofline(self.data, f"Roofline: {self.gpu or self.path.name}")

    def account(self) -> Plot:
        """Where the program's time goes; `.save("account.png")` writes it.

        Needs matplotlib (`pip install roofscope[plot]`).
        """
        from roofscope import _plots

        return _plots.account(self.data.get("program"), f"Account: {self.path.name}")

    def _first_actions(self, count: int) -> list[tuple[str, str, str]]:
        """Title, gain and edit of what the report proposes first."""
        from roofscope import _packets

        names = {kernel.id: kernel.name for kernel in self.kernels}
        return [
            (
                f"{found.title}: {names[found.kernel]}" if found.kernel else found.title,
                _packets.saving(found),
                found.edit,
            )
            for found in _packets.in_order(self)[:count]
        ]

    def _conclusion(self) -> str:
        """Why nothing is proposed, where nothing is."""
        if self.program is None or self.program.proposals:
            return ""
        return self.program.lacking or self.program.stop_text or ""

    def _repr_html_(self) -> str:
        # As an image, so that no name of the profiled program can inject a script.
        picture = base64.b64encode(self.report(format="svg").encode()).decode()
        account = "".join(
            f"<p>{html.escape(sentence)}</p>"
            for sentence in (self.program.sentences if self.program else ())
        )
        actions = "".join(
            f"<li><b>{html.escape(title)}</b>{html.escape(f': {gain}' if gain else '')}"
            f"<br>{html.escape(edit)}</li>"
            for title, gain, edit in self._first_actions(3)
        )
        if conclusion := self._conclusion():
            account += f"<p>{html.escape(conclusion)}</p>"
        name = html.escape(self.path.name)
        return (
            f"{account}"
            f'<figure><img alt="Roofline of {name}" style="max-width:100%" '
            f'src="data:image/svg+xml;base64,{picture}"></figure>'
            f"{f'<ol>{actions}</ol>' if actions else ''}"
        )

    def _repr_markdown_(self) -> str:
        return self.report(budget=4000)


def open(path: str | os.PathLike[str], window: Window = "auto") -> Profile:
    """Reads a profile file; "sample" is a recording that comes with roofscope.

    `window` chooses by which part of its run the program is judged: "loop" (what it repeats),
    "run" (all of it), or "auto".

    RoofscopeError if there is no such file, or if it is not a profile. `Profile(path)` reads it on
    first use instead.
    """
    profile = Profile(path, window)
    _ = profile.data
    return profile
