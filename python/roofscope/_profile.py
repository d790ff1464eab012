# SPDX-License-Identifier: Apache-2.0
"""A profile as Python values. Missing values are None, never 0; durations are in seconds."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from roofscope import _executable, _tables
from roofscope._comparison import Comparison
from roofscope._executable import RoofscopeError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from roofscope._plots import Plot

Dim = tuple[int, int, int]
Window = Literal["auto", "loop", "run"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A number that proves a finding, with its formula over counters."""

    label: str
    formula: str
    value: float | None
    unit: str
    threshold: float | None
    healthy: float | None
    text: str = ""  #: all of this in words


@dataclass(frozen=True, slots=True)
class Movement:
    """How a counter must move if the edit worked."""

    counter: str
    before: float | None
    after: float | None
    unit: str
    text: str = ""  #: all of that in words


@dataclass(frozen=True, slots=True)
class Place:
    """A line or instruction with the fault. Only recorded with `record --source`."""

    file: str | None
    line: int | None
    opcode: str | None
    what: str
    share: float | None
    text: str = ""  #: all of that in words


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a kernel, or of the sequence of launches (then `kernel` is None)."""

    id: str
    rule: str
    title: str
    sentence: str
    edit: str
    kernel: str | None  #: id of the kernel
    gain: float | None  #: seconds per launch, at most
    gain_text: str  #: the gain in words
    gain_share: float | None  #: of the launch, 0 to 1
    gain_total: float | None  #: seconds over all launches of the profile, at most
    minor: bool
    blocked: bool
    estimate: bool  #: the gain is an estimate ("about"), not a bound
    worthwhile: bool  #: saves at least 3 % of the program's window (or of all kernels' time)
    gain_window: float | None  #: seconds per window, at most; None: no window was timed
    can_be_tried: bool  #: `roofscope try` can make its edit: it is not in the program's own kernels
    tried_text: str | None  #: what a trial of this very edit measured, in words
    cause: str | None  #: the rule whose edit also fixes this finding
    evidence: tuple[Evidence, ...]
    expected: tuple[Movement, ...]
    places: tuple[Place, ...]
    #: Of an action: what it is about, the same in other recordings of the program.
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What limits a kernel."""

    text: str  #: in words: "memory-bound at shared pipe"
    kind: str  #: memory-bound, compute-bound, latency-bound, near-roof, …
    limiter: str | None
    confidence: str
    reason: str
    utilisation: float | None
    headroom: float | None  #: seconds per launch
    speedup_bound: float | None
    headroom_text: str | None  #: sentences; None if other text says the same
    joint_gain_text: str | None
    nothing_text: str | None  #: why no edit is proposed; None if one is


@dataclass(frozen=True, slots=True)
class Duration:
    """Time of one launch, in seconds."""

    median: float | None
    low: float | None
    high: float | None
    total: float | None  #: of all launches
    launches: int
    source: str | None  #: timing-run (without counters) or counter-run


@dataclass(frozen=True, slots=True)
class Kernel:
    """The launches of one kernel with one shape in one NVTX range."""

    id: str
    rank: int
    name: str
    full_name: str
    range: str | None
    device: int
    grid: Dim
    block: Dim
    registers: int | None
    static_shared_bytes: int | None
    dynamic_shared_bytes: int | None
    launches: int
    duration: Duration
    time_share: float | None
    verdict: Verdict
    quantities: Mapping[str, float | None] = field(repr=False)
    missing: Mapping[str, str] = field(repr=False)  #: why a quantity is None
    findings: tuple[Finding, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    """All launch shapes of one function, as far as they run in the window."""

    name: str
    rank: int  #: of the kernel that stands for it: `profile.kernels[rank - 1]`
    shapes: int
    launches: float | None  #: per window
    seconds: float | None  #: per window
    share: float | None  #: of the kernels' time in the window


@dataclass(frozen=True, slots=True)
class HostFunction:
    """What the CPU did while the GPU waited for it, by samples."""

    function: str
    place: str | None  #: file and line with most samples: "lulesh.cu:2214"
    share: float | None  #: of the samples of the action's time
    callee: str | None  #: what it called in a library, if the time went there
    waits: str | None  #: what it waited for there, in words; None: it ran


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do about the program, with a bound on the time that it saves."""

    rule: str
    title: str  #: in words; the rule's id if the report has none
    sentence: str
    edit: str
    bound: float | None  #: seconds per window
    bound_text: str  #: in words
    bound_share: float | None
    estimate: bool  #: the bound is only an estimate ("about")
    kernels: tuple[str, ...]
    sites: tuple[str, ...]
    #: What the CPU did in that time, most first; empty: it was not sampled.
    host_functions: tuple[HostFunction, ...] = ()
    host_text: str = ""  #: the same in words; empty: it was not sampled
    #: The bound in words, or what a trial of this edit measured (`roofscope try`).
    gain_text: str = ""
    gain_measured: bool = False  #: a trial measured it
    findings: tuple[str, ...] = ()  #: ids of the kernels' findings that it consists of
    worthwhile: bool = True  #: saves at least 3 % of the program's window
    can_be_tried: bool = True  #: `roofscope try` can make its edit
    tried_text: str = ""  #: further trials that made the program faster, in words
    id: str = ""  #: "program/RULE", and more where several actions are of one rule
    subject: str | None = None  #: what it is about, the same in other recordings


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What `roofscope try` found about an edit of the recorded program."""

    name: str  #: "tf32"
    title: str
    outcome: str  #: helped, results-changed, within-noise, slower, failed
    text: str  #: what came of it, in words
    before: float | None  #: seconds per step, per call or of the whole run
    after: float | None
    suggested_by: tuple[str, ...]  #: rules whose actions it may help
    settles: tuple[str, ...]  #: rules whose edit it is


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that no recording of this program shows."""

    what: str  #: kernels_launched_by_kernels, time_before_cuda
    seconds: float | None  #: how much time it is; None: not known
    text: str  #: what it means, in words


@dataclass(frozen=True, slots=True)
class Program:
    """Where the time of the whole program goes."""

    window: Mapping[str, Any]
    shares: Mapping[str, float | None]  #: sum to 1; None: not recorded
    busy_share: float | None
    #: Seconds per window after all edits found here. Edits not counted here (fusing kernels,
    #: leaving some out, smaller data types) may take it lower.
    floor: float | None
    actions: tuple[Action, ...]
    proposals: tuple[str, ...]  #: ids of findings and actions that are worth it, first things first
    sentences: tuple[str, ...]  #: where the time goes, in words
    stop_text: str | None  #: says to stop, if nothing is left to do
    launches_timed: int | None
    launches_counted: int | None
    #: A sentence about what was not measured but is needed to say that nothing is left to do.
    lacking: str | None = None
    functions: tuple[Function, ...] = ()  #: those with the most time in the window
    unseen: tuple[Unseen, ...] = ()  #: what no recording of this program shows
    trials: tuple[TrialResult, ...] = ()  #: what `roofscope try` has tried
    #: What was tried in vain, in words; None if nothing is to be said.
    trials_text: str | None = None


#: Arrow types of the columns of launches. All others are counters: double.
_LAUNCH_COLUMNS = dict.fromkeys(("profile", "kernel", "name", "range"), "string") | dict.fromkeys(
    (
        "launch", "device", "process", "rank", "stream", "grid_x", "grid_y", "grid_z", "block_x",
        "block_y", "block_z", "dynamic_shared_bytes", "from_graph", "declared_bytes",
    ),
    "int64",
)  # fmt: skip


def _seconds(ns: Any) -> float | None:
    return None if ns is None else float(ns) * 1e-9


def _text(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if value.get("file"):
        return f"{value['file']}:{value['line']}" if value.get("line") else str(value["file"])
    return str(value.get("name") or value.get("function") or value)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_text(value) for value in values or ())


#: Kernels with equal ids get one "x" each, beyond this many "x" and a number.
_MARKS = 8


def kernel_ids(kernels: list[dict[str, Any]]) -> list[str]:
    """An id for each kernel of a report, the same in every recording of the same program.

    It depends on name and NVTX range, and on the launch shape only if several kernels share these.
    """

    def digest(*parts: Any) -> str:
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    bases = ["k" + digest(k["full_name"], k["range"])[:6] for k in kernels]
    shared = Counter(bases)
    taken: Counter[str] = Counter()
    ids: list[str] = []
    for base, k in zip(bases, kernels, strict=True):
        shape = (k["grid"], k["block"], k["cluster"], k["dynamic_shared_bytes"], k["device"])
        wanted = base if shared[base] == 1 else f"{base}-{digest(shape)[:4]}"
        before = taken[wanted]  # earlier kernels that are equal in all that is hashed
        taken[wanted] += 1
        ids.append(wanted + ("x" * before if before <= _MARKS else f"x{before}"))
    return ids


def _finding(raw: dict[str, Any], kernel: str | None, total_ns: float | None) -> Finding:
    share = raw.get("gain_ratio")
    places = raw.get("places", ())
    total = _seconds(total_ns)
    return Finding(
        id=f"{kernel or 'program'}/{raw['rule']}",
        rule=raw["rule"],
        title=raw["title"],
        sentence=raw.get("sentence", ""),
        edit=raw.get("edit", ""),
        kernel=kernel,
        gain=_seconds(raw.get("gain_ns")),
        gain_text=raw.get("gain_text", ""),
        gain_share=share,
        gain_total=None if share is None or total is None else share * total,
        minor=raw["minor"],
        blocked=raw["blocked"],
        estimate=bool(raw.get("estimate")),
        worthwhile=raw["worthwhile"],
        gain_window=_seconds(raw["gain_window_ns"]),
        can_be_tried=raw["can_be_tried"],
        tried_text=raw["tried_text"],
        cause=raw.get("cause"),
        evidence=tuple(Evidence(**e) for e in raw["evidence"]),
        expected=tuple(
            Movement(m["counter"], m["from"], m["to"], m["unit"], m["text"])
            for m in raw["expected"]
        ),
        places=tuple(
            Place(p["file"], p["line"], p["opcode"], p["what"], p["share_ratio"], p["text"])
            for p in places
        ),
    )


def _dim(raw: Any) -> Dim:
    x, y, z = raw
    return (x, y, z)


def _kernel(raw: dict[str, Any], identity: str) -> Kernel:
    verdict, duration = raw["verdict"], raw["duration"]
    return Kernel(
        id=identity,
        rank=raw["rank"],
        name=raw["name"],
        full_name=raw["full_name"],
        range=raw["range"],
        device=raw["device"],
        grid=_dim(raw["grid"]),
        block=_dim(raw["block"]),
        registers=raw["registers_per_thread"],
        static_shared_bytes=raw["static_shared_bytes"],
        dynamic_shared_bytes=raw["dynamic_shared_bytes"],
        launches=raw["launches"],
        duration=Duration(
            median=_seconds(duration["median_ns"]),
            low=_seconds(duration["min_ns"]),
            high=_seconds(duration["max_ns"]),
            total=_seconds(duration["total_ns"]),
            launches=duration["launches"],
            source=duration["source"],
        ),
        time_share=raw.get("time_share_ratio"),
        verdict=Verdict(
            text=verdict["text"],
            kind=verdict["class"],
            limiter=verdict["limiter"],
            confidence=verdict["confidence"],
            reason=verdict["reason"],
            utilisation=verdict.get("utilisation_ratio"),
            headroom=_seconds(verdict.get("headroom_ns")),
            speedup_bound=verdict.get("speedup_bound"),
            headroom_text=verdict.get("headroom_text"),
            joint_gain_text=verdict.get("joint_gain_text"),
            nothing_text=verdict.get("nothing_text"),
        ),
        quantities=raw["quantities"],
        missing=raw["missing"],
        findings=tuple(_finding(f, identity, duration["total_ns"]) for f in raw["findings"]),
    )


def _program(raw: dict[str, Any]) -> Program:
    return Program(
        window=raw.get("window") or {},
        shares=raw.get("shares") or {},
        busy_share=raw.get("busy_share"),
        floor=raw.get("floor_seconds"),
        actions=tuple(
            Action(
                rule=a["rule"],
                title=a.get("title") or a["rule"],
                sentence=a.get("sentence") or "",
                edit=a.get("edit") or "",
                bound=a.get("bound_seconds"),
                bound_text=a.get("bound_text") or "",
                bound_share=a.get("bound_share"),
                estimate=bool(a.get("estimate")),
                kernels=_texts(a.get("kernels")),
                sites=_texts(a.get("sites")),
                host_functions=tuple(
                    HostFunction(
                        function=f["function"],
                        place=f.get("place"),
                        share=f.get("share"),
                        callee=f.get("callee"),
                        waits=f.get("waits"),
                    )
                    for f in a.get("host_functions") or ()
                ),
                host_text=a.get("host_text") or "",
                gain_text=a.get("gain_text") or a.get("bound_text") or "",
                gain_measured=bool(a.get("gain_measured")),
                tried_text=a.get("tried_text") or "",
                findings=_texts(a.get("findings")),
                worthwhile=bool(a.get("worthwhile", True)),
                can_be_tried=bool(a.get("can_be_tried", True)),
                id=a.get("id") or f"program/{a['rule']}",
                subject=a.get("subject"),
            )
            for a in raw.get("actions") or ()
        ),
        proposals=_texts(raw.get("proposals")),
        sentences=_texts(raw.get("sentences")),
        stop_text=raw.get("stop_text"),
        launches_timed=raw.get("launches_timed"),
        launches_counted=raw.get("launches_counted"),
        lacking=raw.get("lacking"),
        functions=tuple(
            Function(
                name=f["name"],
                rank=f["rank"],
                shapes=f["shapes"],
                launches=f.get("launches"),
                seconds=f.get("seconds"),
                share=f.get("share"),
            )
            for f in raw.get("functions") or ()
        ),
        unseen=tuple(
            Unseen(what=u["what"], seconds=u.get("seconds"), text=u.get("text") or "")
            for u in raw.get("unseen") or ()
        ),
        trials=tuple(
            TrialResult(
                name=t["name"],
                title=t["title"],
                outcome=t["outcome"],
                text=t["text"],
                before=t.get("before_seconds"),
                after=t.get("after_seconds"),
                suggested_by=_texts(t.get("suggested_by")),
                settles=_texts(t.get("settles")),
            )
            for t in raw.get("trials") or ()
        ),
        trials_text=raw.get("trials_text"),
    )


class Profile:
    """A profile file. Data is read on first use, from `roofscope report --format json`."""

    def __init__(self, path: str | os.PathLike[str], window: Window = "auto") -> None:
        name = os.fspath(path)
        #: What the program is judged by (docs/program.md): loop, run or auto.
        self.window: Window = window
        if name == "sample" and not os.path.exists(name):
            name = str(_executable.sample() or name)
        #: The file.
        self.path = Path(name)

    def __repr__(self) -> str:
        return f"roofscope.open({str(self.path)!r})"

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
        text = self.data["profile"]["created_utc"]
        try:
            return datetime.fromisoformat((text or "").replace("Z", "+00:00"))
        except ValueError:
            return None

    @functools.cached_property
    def program(self) -> Program | None:
        """Where the program's time goes; None if the profile has no account of it."""
        raw = self.data.get("program")
        return _program(raw) if raw else None

    @functools.cached_property
    def kernels(self) -> list[Kernel]:
        """All kernels, most GPU time first."""
        raw = self.data["kernels"]
        return [_kernel(k, k.get("id") or i) for k, i in zip(raw, kernel_ids(raw), strict=True)]

    @functools.cached_property
    def findings(self) -> list[Finding]:
        """Findings of all kernels and of the sequence of launches; the largest gain first."""
        found = [f for kernel in self.kernels for f in kernel.findings]
        found += [_finding(f, None, None) for f in self.data.get("findings", ())]
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
        """What changed from this profile to `other`."""
        candidate = other if isinstance(other, Profile) else Profile(other)
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
        """Title, gain and edit of the first actions."""
        if self.program and self.program.actions:
            return [(a.title, a.gain_text, a.edit) for a in self.program.actions[:count]]
        names = {kernel.id: kernel.name for kernel in self.kernels}
        return [
            (f"{f.title}: {names[f.kernel]}" if f.kernel else f.title, f.gain_text, f.edit)
            for f in self.findings
            if not f.minor
        ][:count]

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
        name = html.escape(self.path.name)
        return (
            f"{account}"
            f'<figure><img alt="Roofline of {name}" style="max-width:100%" '
            f'src="data:image/svg+xml;base64,{picture}"></figure>'
            f"<ol>{actions}</ol>"
        )

    def _repr_markdown_(self) -> str:
        return self.report(budget=4000)


def open(path: str | os.PathLike[str], window: Window = "auto") -> Profile:
    """Reads a profile file; "sample" is a recording that comes with roofscope.

    `window` chooses what the program is judged by: "loop" (what it repeats), "run" (all of it), or
    "auto".

    RoofscopeError if there is no such file, or if it is not a profile. `Profile(path)` reads it on
    first use instead.
    """
    profile = Profile(path, window)
    _ = profile.data
    return profile
