# SPDX-License-Identifier: Apache-2.0
"""Judges an edit: whether the promise of the action was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from roofscope import _executable, _packets, _report_json
from roofscope._executable import RoofscopeError
from roofscope._profile import Profile
from roofscope._records import Kernel

#: How far a saving may exceed its bound before the bound counts as wrong: durations have noise.
_BOUND_NOISE = 0.02

_MEANING = {
    "kept": "faster, and the counters moved as promised",
    "partly": "faster, but the counters moved only part of the way: the finding is still there",
    "broken": "not what was promised",
    "beyond-bound": "faster than the bound allowed: the edit did more than this, or the bound is "
    "wrong",
    "not-comparable": "nothing could be compared",
}
#: Outcomes of `compare` for promises about several kernels or the program, as states of the ledger.
_OF_PROGRAM = {"kept": "kept", "exceeded": "beyond-bound", "broken": "broken"}


def kernel_of(profile: Profile, pattern: str) -> Kernel:
    """The kernel with this id, name or range; RoofscopeError if there is none."""
    try:
        return profile.kernel(pattern)
    except KeyError:
        raise RoofscopeError(
            f"{profile.path.name} has no kernel {_packets.plain(pattern, 80)}", 64
        ) from None


def _comparison(
    action: dict[str, Any], before: Profile, after: Profile, pattern: str | None
) -> dict[str, Any]:
    """What `roofscope compare` says about the program and the action's kernel."""
    arguments: list[str | Path] = [before.path, after.path]
    if action["kernel"] and pattern is not None and before.path.samefile(after.path):
        old, new = kernel_of(before, action["kernel"]), kernel_of(after, pattern)
        if new.id != old.id:
            for kernel in (old, new):
                if kernel.range and sum(k.range == kernel.range for k in before.kernels) > 1:
                    raise RoofscopeError(
                        "a range of several kernels is judged between two recordings, before and "
                        "after the edit",
                        64,
                    )
            # With "=", because a name may look like an option.
            arguments = [before.path, f"--kernel={old.range or old.name}"]
            arguments.append(f"--with={new.range or new.name}")
    wanted = kernel_of(before, action["kernel"]) if action["kernel"] else None

    def is_wanted(pair: dict[str, Any]) -> bool:
        first = (pair["baseline"]["full_name"], pair["baseline"]["range"])
        return wanted is not None and first == (wanted.full_name, wanted.range)

    def parse(text: BinaryIO) -> dict[str, Any]:
        return _report_json.read_comparison(text, is_wanted)

    return _executable.run_parsed(parse, "compare", *arguments, expect=(0, 2))


def outcome_of(state: str, saved_ns: float | None, why: str, **more: Any) -> dict[str, Any]:
    """An outcome as ledgers have it."""
    return {"state": state, "saved_ns": saved_ns, "why": why, **more}


def _is_about(action: dict[str, Any], rule: str, subject: str | None) -> bool:
    """Whether the ledger's action is this one. Older ledgers and promises of kernels only name the
    rule."""
    return action["rule"] == rule and (
        subject is None or action.get("subject") is None or action["subject"] == subject
    )


def _promise_outcome(
    promises: list[dict[str, Any]], action: dict[str, Any], what: str
) -> dict[str, Any]:
    """The outcome of a promise about several kernels or the program."""
    promise = next((p for p in promises if _is_about(action, p["rule"], p["subject"])), None)
    if promise is None:
        return outcome_of("broken", None, f"{_MEANING['broken']}; the finding is still there")
    state = _OF_PROGRAM[promise["outcome"]]
    if state == "beyond-bound" and promise["estimate"]:
        state = "kept"
    times = {"bound_ns": promise["bound_seconds"] * 1e9, "estimate": promise["estimate"]}
    why = "the finding is gone" if state != "broken" else _MEANING["broken"]
    return outcome_of(state, promise["saved_seconds"] * 1e9, f"{why}; {what}", **times)


def _of_kernel(action: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """The outcome of an action on a kernel that is in both recordings."""
    promise = next((p for p in entry["promises"] if p["rule"] == action["rule"]), None)
    duration = entry["duration"]
    saved, time = duration["saved_ns"], duration["state"]
    counters = promise["outcome"] if promise else "finding not in the baseline"
    unknown = time in ("noise-unknown", "not-comparable", "not-measured")
    bound, faster = action["bound_ns"], time == "faster"
    if unknown or not entry["comparable"] or (faster and counters == "cannot-tell"):
        state = "not-comparable"
    elif faster and not action.get("estimate") and bound and saved > bound * (1 + _BOUND_NOISE):
        state = "beyond-bound"
    else:
        state = {"came-true": "kept", "partly": "partly"}.get(counters, "broken")
        state = state if faster else "broken"
    why = f"{_MEANING[state]}; time: {time}; promised counters: {counters}"
    if unknown and duration["reason"]:
        why += f" ({duration['reason']})"
    cause = entry["cause"] or {}
    return outcome_of(
        state,
        saved,
        why,
        window_saved_ns=duration["saved_window_ns"],
        cause=cause.get("sentence") if cause.get("state") == "found" else None,
    )


def _program_action_outcome(
    action: dict[str, Any], program: dict[str, Any] | None, before: Profile, after: Profile
) -> dict[str, Any]:
    """The outcome of an action about the program."""
    if not program or not program["comparable"]:
        why = (program or {}).get("reason") or "no account of the program"
        return outcome_of("not-comparable", None, f"{_MEANING['not-comparable']}: {why}")
    times = (program["seconds_before"], program["seconds_after"])
    what = "window {} → {}".format(*map(_packets.time, times))
    was, left = (
        [of for of in (side.program.actions if side.program else ()) if of.rule == action["rule"]]
        for side in (before, after)
    )
    promises = program["promises"]
    # The subject of an action may differ between recordings of an unchanged program. So if at least
    # as many actions of the rule appeared as vanished, they are the same ones, unless the program
    # got faster.
    known, now = {of.subject for of in was}, {of.subject for of in left}
    gone = sum(of.subject not in now for of in was)
    others = sum(of.subject not in known for of in left)
    faster = program["changed"] and times[1] < times[0]
    if (
        (0 < gone <= others and not faster)
        or any(_is_about(action, of.rule, of.subject) for of in left)
        # `compare` has no promises of actions that are still there.
        or any(p["rule"] == action["rule"] for p in promises)
    ):
        return _promise_outcome(promises, action, what)
    # The action is gone and no promise covers it: compare the window.
    saved_ns = (times[0] - times[1]) * 1e9
    state = "kept" if faster else "broken"
    return outcome_of(state, saved_ns, f"the action is no longer in the report; {what}")


def judge(
    action: dict[str, Any], before: Profile, after: Profile, pattern: str | None
) -> dict[str, Any]:
    """The outcome of an action by `roofscope compare`: promise kept, broken or exceeded."""
    try:
        data = _comparison(action, before, after, pattern)
    except RoofscopeError as error:
        return outcome_of("not-comparable", None, f"{_MEANING['not-comparable']}: {error}")
    if action["kernel"] is None:
        return _program_action_outcome(action, data["program"], before, after)
    old = kernel_of(before, action["kernel"])
    if data["kernels"]:
        return _of_kernel(action, data["kernels"][0])
    for group in data["groups"]:
        if any(kernel["id"] == old.id for kernel in group["baseline"]):
            times = (group["before_seconds"], group["after_seconds"])
            what = "{} launches → {}, {} → {} per window".format(
                group["launches_before"], group["launches_after"], *map(_packets.time, times)
            )
            return _promise_outcome(group["promises"], action, what)
    # Nothing shows what replaced the kernel, but the program's window tells whether it helped.
    program = data["program"]
    if program and program["comparable"]:
        times = (program["seconds_before"], program["seconds_after"])
        saved_ns = (times[0] - times[1]) * 1e9
        return outcome_of(
            "kept" if program["changed"] and saved_ns > 0 else "broken",
            saved_ns,
            f"{old.name} is gone; window {{}} → {{}}".format(*map(_packets.time, times)),
            per="window",
        )
    return outcome_of(
        "not-comparable",
        None,
        f"{_MEANING['not-comparable']}: {old.name} is gone, and no kernel in both recordings "
        "shows what replaced it",
    )
