# SPDX-License-Identifier: Apache-2.0
"""What a report says about a program and its kernels, read from its JSON."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

Dim = tuple[int, int, int]


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
    blocked_text: str | None  #: what must be relieved before its edit saves anything, in words
    estimate: bool  #: the gain is an estimate ("about"), not a bound
    worthwhile: bool  #: saves at least 3 % of the program's window (or of all kernels' time)
    gain_window: float | None  #: seconds per window, at most; None: no window was timed
    saving_text: str | None  #: in words: the gain per window, else over all launches
    can_be_tried: bool  #: by `roofscope try`: the edit is not in the program's own kernels
    tried_text: str | None  #: what a trial of exactly this edit measured, in words
    cause: str | None  #: the rule whose edit also fixes this finding
    evidence: tuple[Evidence, ...]
    expected: tuple[Movement, ...]
    places: tuple[Place, ...]
    #: For an action: what it is about. The same in other recordings of the program.
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
    """All launch shapes of one function that run in the window."""

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
    waits: str | None  #: what it waited for, in words; None if it was running
    in_worker: bool = False  #: in processes that the program forked and waited for


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
    #: What the CPU did in that time, largest share first; empty if it was not sampled.
    host_functions: tuple[HostFunction, ...] = ()
    host_text: str = ""  #: the same in words; empty if it was not sampled
    #: The bound in words, or what a trial of this edit measured (`roofscope try`).
    gain_text: str = ""
    gain_measured: bool = False  #: a trial measured it
    findings: tuple[str, ...] = ()  #: ids of the kernels' findings that it consists of
    worthwhile: bool = True  #: saves at least 3 % of the program's window
    can_be_tried: bool = True  #: `roofscope try` can make its edit
    tried_text: str = ""  #: further trials that made the program faster, in words
    id: str = ""  #: "program/RULE", with a suffix if a rule has several actions
    subject: str | None = None  #: what it is about; the same in other recordings


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What `roofscope try` found about an edit of the recorded program."""

    name: str  #: "tf32"
    title: str
    outcome: str  #: helped, results-changed, within-noise, slower, failed
    text: str  #: the result in words
    before: float | None  #: seconds per step, per call or of the whole run
    after: float | None
    suggested_by: tuple[str, ...]  #: rules whose actions it may help
    settles: tuple[str, ...]  #: rules that propose exactly this edit


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that no recording of this program shows."""

    what: str  #: kernels_launched_by_kernels, time_before_cuda
    seconds: float | None  #: how much time it takes; None if unknown
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
    proposals: tuple[str, ...]  #: ids of worthwhile findings and actions, best first
    sentences: tuple[str, ...]  #: where the time goes, in words
    stop_text: str | None  #: advice to stop, or why no edit is known; None if there are actions
    launches_timed: int | None
    launches_counted: int | None
    #: A sentence about what must still be measured to know that nothing is left to do.
    lacking: str | None = None
    functions: tuple[Function, ...] = ()  #: those with the most time in the window
    unseen: tuple[Unseen, ...] = ()  #: what no recording of this program shows
    trials: tuple[TrialResult, ...] = ()  #: what `roofscope try` has tried
    #: What was tried in vain, in words; None if there is nothing to say.
    trials_text: str | None = None


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


#: Kernels with equal ids get one more "x" each, and beyond this many an "x" and a number.
_MARKS = 8


def time_of(text: str | None) -> datetime | None:
    """A recording's `created_utc`, converted to UTC; None if it is not a time.

    A time without a zone counts as UTC."""
    try:
        when = datetime.fromisoformat((text or "").replace("Z", "+00:00"))
        return when.replace(tzinfo=when.tzinfo or timezone.utc).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


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
        before = taken[wanted]  # earlier kernels with the same hashed properties
        taken[wanted] += 1
        ids.append(wanted + ("x" * before if before <= _MARKS else f"x{before}"))
    return ids


def finding_of(raw: dict[str, Any], kernel: str | None, total_ns: float | None) -> Finding:
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
        blocked_text=raw["blocked_text"],
        estimate=bool(raw.get("estimate")),
        worthwhile=raw["worthwhile"],
        gain_window=_seconds(raw["gain_window_ns"]),
        saving_text=raw["saving_text"],
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


def kernel_of(raw: dict[str, Any], identity: str) -> Kernel:
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
        findings=tuple(finding_of(f, identity, duration["total_ns"]) for f in raw["findings"]),
    )


def program_of(raw: dict[str, Any]) -> Program:
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
                        in_worker=bool(f.get("in_worker")),
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
