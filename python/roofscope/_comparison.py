# SPDX-License-Identifier: Apache-2.0
"""A comparison of two profiles as Python values; docs/compare.md explains each."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofscope import _executable
from roofscope._executable import RoofscopeError

if TYPE_CHECKING:
    from roofscope._profile import Profile


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """A kernel in one of the two profiles."""

    rank: int  #: `profile.kernels[rank - 1]`
    name: str
    full_name: str
    range: str | None
    launches: int
    median: float | None  #: seconds
    verdict: str
    limiter: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """A quantity of a kernel that changed, or that only one side has."""

    baseline: float | None
    candidate: float | None
    unit: str
    direction: str  #: same, lower, higher, unknown
    basis: str  #: exact, banded, unrepeated


@dataclass(frozen=True, slots=True)
class KernelPromise:
    """What became of a finding of the baseline."""

    rule: str
    title: str
    outcome: str  #: came-true, partly, not, cannot-tell
    finding: str  #: gone, minor, still, cannot-tell
    bound: float | None  #: seconds per launch


@dataclass(frozen=True, slots=True)
class Promise:
    """What became of a finding about several kernels, or of an action."""

    rule: str
    outcome: str  #: kept, exceeded, broken
    bound: float | None  #: seconds per window
    saved: float | None  #: seconds per window
    estimate: bool  #: the bound is an estimate, which may be exceeded
    action: str | None = None  #: id of the action; None for a finding of kernels


@dataclass(frozen=True, slots=True)
class ComparedKernel:
    """A kernel that is in both profiles."""

    baseline: ComparedSide
    candidate: ComparedSide
    tier: str  #: which properties matched
    how: str  #: the same in words
    comparable: bool
    state: str  #: faster, slower, within-noise, noise-unknown, not-comparable, not-measured
    speedup: float | None
    saved: float | None  #: seconds per launch
    reason: str | None  #: why the state is not certain
    cause: str | None  #: a sentence, if the cause was found
    quantities: Mapping[str, Change] = field(repr=False)
    promises: tuple[KernelPromise, ...]
    new_findings: tuple[str, ...]  #: rules
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """Kernels that were fused, split or replaced, per window."""

    kind: str  #: fused, split, replaced
    baseline: tuple[str, ...]  #: ids of kernels
    candidate: tuple[str, ...]
    before: float | None  #: seconds
    after: float | None
    changed: bool
    promises: tuple[Promise, ...]


@dataclass(frozen=True, slots=True)
class ComparedProgram:
    """The program's window before and after."""

    comparable: bool
    reason: str | None  #: why it is not comparable
    before: float | None  #: seconds
    after: float | None
    speedup: float | None
    changed: bool
    promises: tuple[Promise, ...]


def _seconds(ns: float | None) -> float | None:
    return None if ns is None else ns * 1e-9


def _side(raw: dict[str, Any]) -> ComparedSide:
    return ComparedSide(
        rank=raw["rank"],
        name=raw["name"],
        full_name=raw["full_name"],
        range=raw["range"],
        launches=raw["launches"],
        median=_seconds(raw["median_ns"]),
        verdict=raw["verdict"],
        limiter=raw["limiter"],
    )


def _promises(raw: list[dict[str, Any]]) -> tuple[Promise, ...]:
    return tuple(
        Promise(
            rule=p["rule"],
            outcome=p["outcome"],
            bound=p["bound_seconds"],
            saved=p["saved_seconds"],
            estimate=p["estimate"],
            action=p.get("id"),
        )
        for p in raw
    )


def _kernel(raw: dict[str, Any]) -> ComparedKernel:
    duration, cause = raw["duration"], raw["cause"] or {}
    return ComparedKernel(
        baseline=_side(raw["baseline"]),
        candidate=_side(raw["candidate"]),
        tier=raw["match"]["tier"],
        how=raw["match"]["how"],
        comparable=raw["comparable"],
        state=duration["state"],
        speedup=duration["speedup"],
        saved=_seconds(duration["saved_ns"]),
        reason=duration["reason"],
        cause=cause.get("sentence") if cause.get("state") == "found" else None,
        quantities={
            name: Change(
                baseline=q["baseline"],
                candidate=q["candidate"],
                unit=q["unit"],
                direction=q["direction"],
                basis=q["basis"],
            )
            for name, q in raw["quantities"].items()
        },
        promises=tuple(
            KernelPromise(
                rule=p["rule"],
                title=p["title"],
                outcome=p["outcome"],
                finding=p["finding"],
                bound=_seconds(p["gain_bound_ns"]),
            )
            for p in raw["promises"]
        ),
        new_findings=tuple(raw["new_findings"]),
        notes=tuple(raw["notes"]),
    )


class Comparison:
    """What changed between two profiles, from `roofscope compare`, which runs on first use."""

    def __init__(self, baseline: Profile, candidate: Profile) -> None:
        if baseline.window != candidate.window:
            raise RoofscopeError(
                f"compare: {baseline!r} and {candidate!r} are judged by different windows: open "
                "both with the same",
                64,
            )
        self.baseline = baseline
        self.candidate = candidate

    def __repr__(self) -> str:
        return f"{self.baseline!r}.compare({str(self.candidate.path)!r})"

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        """The comparison's JSON (docs/compare.md)."""
        # Exit code 2 is an answer, too: nothing could be compared.
        return _executable.run_json("compare", *self._arguments(), expect=(0, 2))

    def _arguments(self) -> list[str | Path]:
        window = f"--window={self.baseline.window}"
        return [self.baseline.path, self.candidate.path, window]

    @property
    def comparable(self) -> bool:
        """Whether anything could be compared."""
        return bool(self.data["comparable"])

    @functools.cached_property
    def program(self) -> ComparedProgram | None:
        """The program's window; None if there is none."""
        raw = self.data["program"]
        if not raw:
            return None
        return ComparedProgram(
            comparable=raw["comparable"],
            reason=raw["reason"],
            before=raw["seconds_before"],
            after=raw["seconds_after"],
            speedup=raw["speedup"],
            changed=raw["changed"],
            promises=_promises(raw["promises"]),
        )

    @functools.cached_property
    def kernels(self) -> list[ComparedKernel]:
        """Kernels that are in both profiles, the largest change of GPU time first."""
        return [_kernel(raw) for raw in self.data["kernels"]]

    @functools.cached_property
    def groups(self) -> list[ComparedGroup]:
        """Kernels that were fused, split or replaced."""
        return [
            ComparedGroup(
                kind=raw["kind"],
                baseline=tuple(kernel["id"] for kernel in raw["baseline"]),
                candidate=tuple(kernel["id"] for kernel in raw["candidate"]),
                before=raw["before_seconds"],
                after=raw["after_seconds"],
                changed=raw["changed"],
                promises=_promises(raw["promises"]),
            )
            for raw in self.data["groups"]
        ]

    @functools.cached_property
    def only_in_baseline(self) -> list[ComparedSide]:
        """Kernels that the candidate does not have."""
        return [_side(raw) for raw in self.data["only_in_baseline"]]

    @functools.cached_property
    def only_in_candidate(self) -> list[ComparedSide]:
        """Kernels that the baseline does not have."""
        return [_side(raw) for raw in self.data["only_in_candidate"]]

    @property
    def notes(self) -> tuple[str, ...]:
        """What else to know about the comparison, in words."""
        return tuple(self.data["notes"])

    def report(self, format: str = "markdown") -> str:
        """The comparison as text."""
        words = [*self._arguments(), "--format", format]
        return _executable.run("compare", *words, expect=(0, 2)).stdout

    def _repr_markdown_(self) -> str:
        return self.report()
