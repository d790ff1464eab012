# SPDX-License-Identifier: Apache-2.0
"""Judges trials against the plain runs, and shows the results as a table and as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roofscope import _packets
from roofscope._trials import Trial
from roofscope._try_numbers import Difference, Reference
from roofscope._try_run import Run

#: Differences below this share are noise even if both plain runs agree by chance.
_FLOOR_STEP, _FLOOR_RUN = 0.02, 0.03
#: Seconds by which the start-up time of a process varies.
_START = 0.01
#: Outcomes, and what the table says.
SAID = {
    "helped": "helps",
    "results-changed": "faster, but results changed",
    "within-noise": "within the noise",
    "slower": "slower",
    "failed": "failed",
    "not-applied": "could not be tried",
    "not-tried": "not tried",
}
#: Outcomes after which the advice is dropped.
NO_HELP = ("within-noise", "slower", "failed")


@dataclass
class Tried:
    """A trial and its runs."""

    trial: Trial
    actions: list[str] = field(default_factory=list)  #: ids of the profile that suggested it
    runs: list[Run] = field(default_factory=list)
    not_tried: str | None = None  #: why no run counts

    @property
    def failed(self) -> bool:
        """Whether a run ended differently from the plain runs."""
        return any(run.code != 0 for run in self.runs)


@dataclass(frozen=True)
class Timing:
    """Which time is compared, and how it was measured."""

    per: str  #: step, call or run
    how: str
    floor: float

    def of(self, run: Run) -> float | None:
        """This time of a run, in seconds; None: not measured."""
        if self.per == "run":
            return run.wall
        steps = run.steps
        return None if steps is None else float(steps["seconds"])

    def spread(self, run: Run) -> float:
        """By how much the steps of one run differ, in seconds; 0 if it has none."""
        steps = run.steps
        return 0.0 if steps is None or self.per == "run" else float(steps["spread"])


def timing(plain: Sequence[Run]) -> Timing:
    """Time per step if the hook saw steps in all plain runs, else time of the whole run."""
    steps = plain[0].steps
    if steps is None or any(run.steps is None for run in plain):
        return Timing("run", "wall time of the whole run, with its start", _FLOOR_RUN)
    clock = "CUDA events" if steps["clock"] == "gpu" else "the CPU's clock"
    per = "step" if str(steps["what"]).endswith(".step()") else "call"
    how = (
        f"time from one {_packets.plain(str(steps['what']), 60)} to the next, by {clock}: median "
        f"of the second half of {steps['count']}"
    )
    return Timing(per, how, _FLOOR_STEP)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a trial."""

    state: str  #: a key of SAID
    seconds: float | None
    why: str  #: for people; empty if the state says enough
    results: Difference | None
    memory: int | None  #: bytes
    noise: float  #: seconds that this comparison cannot resolve


def _range(times: Sequence[float]) -> float:
    return max(times) - min(times) if times else 0.0


def exit_text(run: Run) -> str:
    """How a run ended, with its last words."""
    if run.code is None:
        return f"did not end within {run.wall:.0f} s"
    said = f": {_packets.plain(run.last_words, 160)}" if run.last_words else ""
    if run.code < 0:
        return f"ended by signal {-run.code}{said}"
    return f"exit code {run.code}{said}"


class Judged:
    """All results of one `roofscope try`."""

    def __init__(
        self,
        command: Sequence[str],
        plain: Sequence[Run],
        measured: Sequence[Run],
        tried: Sequence[Tried],
        *,
        tolerance: float,
        profile: Path | None = None,
    ) -> None:
        """`plain` are all plain runs; `measured` are those whose times count."""
        self.command, self.plain, self.tried = list(command), list(plain), list(tried)
        self.tolerance, self.profile = tolerance, profile
        self.timing = timing(measured)
        self.times = [t for t in map(self.timing.of, measured) if t is not None]
        self.before = statistics.median(self.times)
        # A single run shows no noise, so include the warm-up.
        several = measured if len(measured) > 1 else plain
        self.noise = max(
            _range([t for t in map(self.timing.of, several) if t is not None]),
            *map(self.timing.spread, measured),
            self.timing.floor * self.before,
            _START if self.timing.per == "run" else 0.0,
        )
        self.reference = Reference([run.output for run in plain])
        self.memory = max((run.peak_bytes for run in plain if run.peak_bytes), default=None)
        self.outcomes = [self._outcome(one) for one in self.tried]

    @property
    def any_run(self) -> bool:
        """Whether a trial ran."""
        return any(outcome.state != "not-tried" for outcome in self.outcomes)

    def _outcome(self, one: Tried) -> Outcome:
        if one.not_tried is not None or not one.runs:
            return Outcome("not-tried", None, one.not_tried or "", None, None, self.noise)
        memory = max((run.peak_bytes for run in one.runs if run.peak_bytes), default=None)
        bad = next((run for run in one.runs if run.code != 0), None)
        if bad is not None:
            return Outcome("failed", None, exit_text(bad), None, memory, self.noise)
        if (why := self._not_applied(one)) is not None:
            return Outcome("not-applied", None, why, None, memory, self.noise)
        results = max(
            (self.reference.compare(run.output) for run in one.runs),
            key=lambda d: (d.missing, d.largest or 0),
        )
        times = [t for t in map(self.timing.of, one.runs) if t is not None]
        if not times:
            why = "the hook saw no steps in it"
            return Outcome("not-applied", None, why, results, memory, self.noise)
        after = statistics.median(times)
        spread = max(map(self.timing.spread, one.runs))
        noise = max(self.noise, _range(times), spread)
        saved = self.before - after
        why = ""
        if abs(saved) <= noise:
            state = "within-noise"
            if noise > max(self.noise, spread):
                low, high = min(times), max(times)
                why = f"its own runs took {_packets.time(low)} and {_packets.time(high)}"
            elif noise > self.noise:
                why = f"its own steps differ by {_packets.time(spread)}"
        elif saved < 0:
            state = "slower"
        else:
            state = "results-changed" if results.within(self.tolerance) is False else "helped"
        return Outcome(state, after, why, results, memory, noise)

    @staticmethod
    def _not_applied(one: Tried) -> str | None:
        """Why the hook changed nothing; None if it did, or if the trial only sets variables."""
        if one.trial.file is None:
            return None
        reports = [r for r in one.runs[-1].reports if one.trial.framework in r["frameworks"]]
        if not reports:
            return f"no Python of the program imported {one.trial.framework} with the hook"
        problems = [str(p) for r in reports for p in r.get("problems") or ()]
        if not any(r.get("changed") for r in reports):
            said = f": {_packets.plain(problems[0], 160)}" if problems else ""
            return f"the hook found nothing to change{said}"
        if any(r.get("lasting") is False for r in reports if r.get("changed")):
            return "the program sets this itself, after the hook"
        return None

    def sentence(self, one: Tried, outcome: Outcome) -> str:
        """A sentence about a trial, as in a report."""
        title = one.trial.title
        if outcome.state in ("not-tried", "not-applied"):
            return f"{title}: {SAID[outcome.state]}: {outcome.why}"
        if outcome.state == "failed":
            return f"{title}: tried, failed: {outcome.why}"
        per = "" if self.timing.per == "run" else f" per {self.timing.per}"
        line = f"{title}: tried, {pair(self.before, outcome.seconds)}{per}"
        if outcome.state == "within-noise":
            noise = percent(outcome.noise / self.before)
            of = f"{outcome.why})" if outcome.why else f"of the plain runs, {noise})"
            return f"{line}: within the noise ({of}"
        slower = ", slower" if outcome.state == "slower" else ""
        return f"{line}{slower} ({self.results_text(outcome)})"

    def results_text(self, outcome: Outcome) -> str:
        """Whether the printed numbers changed, in words."""
        results = outcome.results
        if results is None:
            return ""
        if results.largest is None:
            return "results not compared"
        if results.missing:
            return f"{results.missing} printed numbers are missing"
        if results.largest == 0:
            return "printed numbers are equal"
        word = "within" if results.within(self.tolerance) else "differ by"
        return f"printed numbers {word} {percent(results.largest)}"

    def data(self) -> dict[str, Any]:
        """The results as JSON (docs/try.md)."""
        return {
            "format": "roofscope-try",
            "schema": [1, 0],
            "command": self.command,
            "profile": None if self.profile is None else str(self.profile),
            "time": {"per": self.timing.per, "how": self.timing.how},
            "plain": {
                "seconds": self.before,
                "noise_seconds": self.noise,
                "runs": [_run(run, self.timing) for run in self.plain],
                "memory_bytes": self.memory,
            },
            "results": {"compared": self.reference.count, "tolerance": self.tolerance},
            "trials": [self._trial(*both) for both in zip(self.tried, self.outcomes, strict=True)],
        }

    def _trial(self, one: Tried, outcome: Outcome) -> dict[str, Any]:
        results, after = outcome.results, outcome.seconds
        compared = results is not None and results.largest is not None
        finite = compared and results is not None and results.largest != float("inf")
        return {
            "name": one.trial.name,
            "title": one.trial.title,
            "outcome": outcome.state,
            "why": outcome.why or None,
            "per": self.timing.per,
            "sentence": self.sentence(one, outcome),
            "keep": one.trial.keep,
            "actions": one.actions,
            "suggested_by": list(one.trial.suggested_by),
            "settles": list(one.trial.settles),
            "before_seconds": None if after is None else self.before,
            "after_seconds": after,
            "noise_seconds": outcome.noise,
            "saved_ratio": None if after is None else 1 - after / self.before,
            "results": {
                "kept": None if results is None else results.within(self.tolerance),
                "largest_difference": results.largest if finite and results else None,
                "missing": results.missing if compared and results else None,
                "where": results.where or None if compared and results else None,
            },
            "memory_bytes": outcome.memory,
            "runs": [_run(run, self.timing) for run in one.runs],
        }


def _run(run: Run, timing: Timing) -> dict[str, Any]:
    return {
        "seconds": timing.of(run),
        "wall_seconds": run.wall,
        "exit_code": run.code,
        "steps": None if run.steps is None else run.steps["count"],
        "memory_bytes": run.peak_bytes,
    }


def percent(share: float) -> str:
    """0.0123 as "1.2 %"."""
    if share == float("inf"):
        return "more than any number"
    return f"{share * 100:.2g} %" if share < 1 else f"{share * 100:.0f} %"


def pair(before: float, after: float | None) -> str:
    """Two times in the unit of the larger: "44.2 → 27.9 ms"."""
    if after is None:
        return f"{_packets.time(before)} → not measured"
    top = max(before, after)
    unit, scale = next(
        ((u, s) for u, s in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)) if top >= s), ("ns", 1e-9)
    )
    return f"{_digits(before / scale)} → {_digits(after / scale)} {unit}"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def command_text(command: Sequence[str]) -> str:
    """A command as one line for a shell; control characters are escaped."""
    return " ".join(map(_packets.shell_word, command))


def _change(before: float, after: float) -> str:
    share = (after / before - 1) * 100
    return f"{share:+.1f} %".replace("-", "−")


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _results_cell(judged: Judged, outcome: Outcome) -> str:
    return judged.results_text(outcome).removeprefix("printed numbers ").removeprefix("are ")


def table(judged: Judged) -> str:
    """The results for people."""
    per = judged.timing.per
    times = " and ".join(_packets.time(t) for t in judged.times)
    noise = percent(judged.noise / judged.before)
    lines = [
        f"Program: {_packets.plain(command_text(judged.command), 300)}",
        f"Time per {per}: {judged.timing.how}",
        f"Plain: {times} (differences up to {noise} are noise)",
    ]
    if judged.reference.count:
        lines.append(
            f"Results: {judged.reference.count} printed numbers agree between the plain runs; "
            f"tolerance {percent(judged.tolerance)}"
        )
    else:
        lines.append("Results not compared: no printed number agrees between the plain runs")
    rows = [["trial", "time", "change", "printed numbers", "GPU memory", ""]]
    left: dict[tuple[str, str], list[str]] = {}
    for one, outcome in zip(judged.tried, judged.outcomes, strict=True):
        if outcome.state in ("not-tried", "not-applied"):
            left.setdefault((outcome.state, outcome.why), []).append(one.trial.name)
            continue
        said = SAID[outcome.state] + (f": {outcome.why}" if outcome.why else "")
        memory = (_packets.number(b, "bytes") for b in (judged.memory, outcome.memory) if b)
        after = outcome.seconds
        rows.append(
            [
                one.trial.name,
                "" if after is None else pair(judged.before, after),
                "" if after is None else _change(judged.before, after),
                _results_cell(judged, outcome),
                " → ".join(memory) if judged.memory and outcome.memory else "not measured",
                said,
            ]
        )
    if len(rows) > 1:
        lines += ["", *_columns(rows)]
    if left:
        lines.append("")
        lines += [
            f"{SAID[state].capitalize()}: {', '.join(names)}: {why}"
            for (state, why), names in left.items()
        ]
    helped = [
        (outcome.seconds, one, outcome)
        for one, outcome in zip(judged.tried, judged.outcomes, strict=True)
        if outcome.state == "helped" and outcome.seconds is not None
    ]
    if helped:
        _, one, outcome = min(helped, key=lambda item: item[0])
        lines += ["", f"Best: {judged.sentence(one, outcome)}", f"To keep it: {one.trial.keep}"]
        lines.append(f"It may change: {one.trial.changes}")
    elif judged.any_run:
        lines += ["", "No trial helped."]
    return "\n".join(lines) + "\n"
