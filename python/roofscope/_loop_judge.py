# SPDX-License-Identifier: Apache-2.0
"""Judges an edit: whether the promise of the action was kept."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any, BinaryIO

from roofscope import _executable, _packets, _report_json
from roofscope._executable import RoofscopeError
from roofscope._loop_rejected import parts_of, plain_ids
from roofscope._profile import Profile
from roofscope._records import Kernel

#: How far a saving may exceed its bound before the bound counts as wrong: durations have noise.
_BOUND_NOISE = 0.02

_MEANING = {
    "kept": "faster, and the counters moved as promised",
    "partly": "faster, but the finding is still there",
    "broken": "not what was promised",
    "beyond-bound": "faster than the bound allowed: the edit did more than this, or the bound is "
    "wrong",
    "not-comparable": "nothing could be compared",
}
#: What `compare` says about the counters that an edit should have moved, in words.
_COUNTERS = {
    "came-true": "as promised",
    "partly": "moved part of the way",
    "not": "did not move",
    "cannot-tell": "not known",
}
#: Outcomes of `compare` for promises about several kernels or the program, as states of the ledger.
_OF_PROGRAM = {"kept": "kept", "exceeded": "beyond-bound", "broken": "broken"}


def kernel_of(profile: Profile, pattern: str) -> Kernel:
    """The kernel with this id, name or range; RoofscopeError if there is none."""
    try:
        return profile.kernel(pattern)
    except KeyError:
        pass
    # Without the arguments of templates, which would make every name unlike a short one.
    names = {re.split(r"[<(]", kernel.name)[0]: kernel.id for kernel in reversed(profile.kernels)}
    near = [name for name in names if pattern.lower() in name.lower()]
    near = [names[name] for name in near or difflib.get_close_matches(pattern, names)]
    hint = f" (near: {', '.join(_packets.code(name, 60) for name in near[:3])})" if near else ""
    raise RoofscopeError(
        f"{profile.path.name} has no kernel {_packets.plain(pattern, 80)}{hint}", 64
    )


def _comparison(
    action: dict[str, Any], before: Profile, after: Profile, pattern: str | None
) -> dict[str, Any]:
    """What `roofscope compare` says about the program and the action's kernels."""
    arguments: list[str | Path] = [f"--window={after.window}", before.path, after.path]
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
            arguments[1:] = [before.path, f"--kernel={old.range or old.name}"]
            arguments.append(f"--with={new.range or new.name}")
    wanted = {(kernel.full_name, kernel.range) for kernel in _kernels(action, before)}

    def is_wanted(pair: dict[str, Any]) -> bool:
        return (pair["baseline"]["full_name"], pair["baseline"]["range"]) in wanted

    def parse(text: BinaryIO) -> dict[str, Any]:
        return _report_json.read_comparison(text, is_wanted)

    return _executable.run_parsed(parse, "compare", *arguments, expect=(0, 2))


def _kernels(action: dict[str, Any], before: Profile) -> list[Kernel]:
    """The kernels that an action of the ledger is about."""
    if action["kernel"]:
        return [kernel_of(before, action["kernel"])]
    wanted = {one.partition("/")[0] for one in action.get("findings") or ()}
    return [kernel for kernel in before.kernels if kernel.id in wanted]


def outcome_of(state: str, saved_ns: float | None, why: str, **more: Any) -> dict[str, Any]:
    """An outcome as ledgers have it."""
    return {"state": state, "saved_ns": saved_ns, "why": why, **more}


def _is_about(action: dict[str, Any], rule: str, subject: str | None) -> bool:
    """Whether the ledger's action is this one. Older ledgers and promises of kernels only name the
    rule."""
    return action["rule"] == rule and (
        subject is None or action.get("subject") is None or action["subject"] == subject
    )


def _window_words(program: dict[str, Any]) -> str:
    return "window {} → {}".format(*map(_packets.time, _times(program)))


def _times(program: dict[str, Any]) -> tuple[float, float]:
    return program["seconds_before"], program["seconds_after"]


def _is_faster(program: dict[str, Any]) -> bool:
    before, after = _times(program)
    return bool(program["changed"] and after < before)


def _window_outcome(
    action: dict[str, Any], program: dict[str, Any], still: bool, more: str = ""
) -> dict[str, Any]:
    """The outcome by the program's window alone. `still`: the action is still in the report."""
    before, after = _times(program)
    saved_ns = (before - after) * 1e9
    bound = action.get("window_bound_ns") or action.get("bound_ns")
    if not _is_faster(program):
        state, why = "broken", _MEANING["broken"]
        why += "; the finding is still there" if still else "; it is no longer in the report"
    elif bound and not action.get("estimate") and saved_ns > bound * (1 + _BOUND_NOISE):
        state, why = "beyond-bound", _MEANING["beyond-bound"]
    elif still:
        state, why = "partly", _MEANING["partly"]
    else:
        state, why = "kept", "faster, and the action is no longer in the report"
    return outcome_of(state, saved_ns, f"{why}; {_window_words(program)}{more}", per="window")


def _promise_outcome(
    promises: list[dict[str, Any]],
    action: dict[str, Any],
    what: str,
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


def _by_kernel_state(entry: dict[str, Any], rule: str) -> tuple[str, str]:
    """The outcome of an action on a kernel that is in both recordings, and why.

    Its time decides first: a kernel that got faster by another way than promised is no failure."""
    promise = next((p for p in entry["promises"] if p["rule"] == rule), None)
    time = entry["duration"]["state"]
    counters = promise["outcome"] if promise else None
    said = _COUNTERS.get(counters or "", "not in the baseline")
    unknown = time in ("noise-unknown", "not-comparable", "not-measured")
    if unknown or not entry["comparable"] or (time == "faster" and counters == "cannot-tell"):
        state, why = "not-comparable", _MEANING["not-comparable"]
    elif time != "faster":
        state, why = "broken", _MEANING["broken"]
    elif counters == "came-true":
        state, why = "kept", _MEANING["kept"]
    elif promise and promise.get("finding") == "gone":
        state, why = "kept", "faster, and the finding is gone"
    else:
        state, why = "partly", _MEANING["partly"]
    why += f"; time: {time}; promised counters: {said}"
    if unknown and entry["duration"]["reason"]:
        why += f" ({entry['duration']['reason']})"
    return state, why


def _of_kernel(action: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """The outcome of an action on one kernel that is in both recordings."""
    duration = entry["duration"]
    saved, bound = duration["saved_ns"], action["bound_ns"]
    state, why = _by_kernel_state(entry, action["rule"])
    limited = state in ("kept", "partly") and bound and not action.get("estimate")
    if limited and saved > bound * (1 + _BOUND_NOISE):
        why = why.replace(_MEANING[state], _MEANING["beyond-bound"])
        state = "beyond-bound"
    cause = entry["cause"] or {}
    return outcome_of(
        state,
        saved,
        why,
        window_saved_ns=duration["saved_window_ns"],
        cause=cause.get("sentence") if cause.get("state") == "found" else None,
    )


def _is_left(action: dict[str, Any], after: Profile) -> bool:
    """Whether the report after the edit still proposes it, at least for some of its kernels."""
    own = plain_ids(action.get("findings") or [action["id"]])
    return any(
        found.rule == action["rule"] and bool(own & plain_ids(parts_of(after, found)))
        for found in _packets.in_order(after)
    )


def _groups_of(data: dict[str, Any], kernels: list[Kernel]) -> list[dict[str, Any]]:
    """Groups of kernels that others replaced, with one of these among them."""
    ids = {kernel.id for kernel in kernels}
    return [
        group
        for group in data["groups"]
        if any(kernel["id"] in ids for kernel in group["baseline"])
    ]


def _group_words(group: dict[str, Any]) -> str:
    times = (group["before_seconds"], group["after_seconds"])
    return "{} launches → {}, {} → {} per window".format(
        group["launches_before"], group["launches_after"], *map(_packets.time, times)
    )


def _of_kernels(
    action: dict[str, Any], data: dict[str, Any], before: Profile, after: Profile
) -> dict[str, Any]:
    """The outcome of an action of the program that is about kernels: its window decides first."""
    kernels = _kernels(action, before)
    entries, groups = data["kernels"], _groups_of(data, kernels)
    still = _is_left(action, after)
    states = [_by_kernel_state(entry, action["rule"]) for entry in entries]
    program = data["program"]
    timed = bool(program and program["comparable"])
    if timed and program["changed"]:
        more = "".join(f"; {_group_words(group)}" for group in groups[:1])
        if len(entries) == 1:
            more += "; " + states[0][1].partition("; ")[2]
        # Part of a counter's way is part of the edit, even if the rest is not worth reporting.
        partly = still or any(state == "partly" for state, _ in states)
        outcome = _window_outcome(action, program, partly, more)
        cause = (entries[0]["cause"] or {}) if len(entries) == 1 else {}
        if cause.get("state") == "found":
            outcome["cause"] = cause.get("sentence")
        return outcome
    # The window did not change by more than its noise, or was not timed: the kernels decide.
    what = _window_words(program) if timed else ""
    for group in groups:
        return _promise_outcome(group["promises"], action, _group_words(group))
    known = [
        (state, why, _saved(entry, kernels, timed))
        for entry, (state, why) in zip(entries, states, strict=True)
        if state != "not-comparable"
    ]
    if known:
        return _of_known_kernels(action, known, still, what)
    if timed:
        return _window_outcome(action, program, still)
    why = (program or {}).get("reason") or next((why for _, why in states), "")
    if not why:
        names = ", ".join(kernel.name for kernel in kernels[:2]) or "its kernel"
        why = f"{names} is gone, and no kernel in both recordings shows what replaced it"
    why = why.removeprefix(f"{_MEANING['not-comparable']}; ")
    return outcome_of("not-comparable", None, f"{_MEANING['not-comparable']}: {why}")


def _of_known_kernels(
    action: dict[str, Any],
    known: list[tuple[str, str, float | None]],
    still: bool,
    what: str,
) -> dict[str, Any]:
    """The outcome by what each kernel says: its state, why, and how much time it saved."""
    saved = [one for _, _, one in known if one is not None]
    total = sum(saved) if saved else None
    faster = {state for state, _, _ in known} - {"broken"}
    bound = action.get("window_bound_ns") or action.get("bound_ns")
    if not faster or (total is not None and total <= 0):
        state = "broken"
    elif total and bound and not action.get("estimate") and total > bound * (1 + _BOUND_NOISE):
        state = "beyond-bound"
    else:
        state = "partly" if still or faster == {"partly"} else "kept"
    why = _MEANING[state]
    if what:  # the window is not faster
        why = why.replace("faster", "its kernels are faster, its window is not", 1)
    why += f"; {known[0][1].partition('; ')[2]}" if len(known) == 1 else ""
    return outcome_of(state, total, f"{why}; {what}".removesuffix("; "), per="window")


def _saved(entry: dict[str, Any], kernels: list[Kernel], timed: bool) -> float | None:
    """What a kernel saved: per window, or in all of its launches if no window was timed."""
    if timed:
        saved: float | None = entry["duration"]["saved_window_ns"]
        return saved
    first = entry["baseline"]
    same = (k for k in kernels if (k.full_name, k.range) == (first["full_name"], first["range"]))
    kernel, of_launch = next(same, None), entry["duration"]["saved_ns"]
    return None if kernel is None or of_launch is None else of_launch * kernel.launches


def _program_action_outcome(
    action: dict[str, Any], program: dict[str, Any] | None, before: Profile, after: Profile
) -> dict[str, Any]:
    """The outcome of an action about the program."""
    if not program or not program["comparable"]:
        why = (program or {}).get("reason") or "no account of the program"
        return outcome_of("not-comparable", None, f"{_MEANING['not-comparable']}: {why}")
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
    faster = _is_faster(program)
    still = any(_is_about(action, of.rule, of.subject) for of in left)
    # `compare` has no promises of actions that are still there.
    promised = any(p["rule"] == action["rule"] for p in promises)
    if not faster and (still or promised or 0 < gone <= others):
        return _promise_outcome(promises, action, _window_words(program))
    if promised:
        outcome = _promise_outcome(promises, action, _window_words(program))
        own = any(_is_about(action, p["rule"], p["subject"]) for p in promises)
        # The window is faster, so that an edit which saved less than promised is none to undo.
        if own and faster and outcome["state"] == "broken":
            before_s, after_s = _times(program)
            why = f"faster, but less than promised; {_window_words(program)}"
            return outcome | {"state": "partly", "saved_ns": (before_s - after_s) * 1e9, "why": why}
        return outcome
    if still and gone:
        # Another action of the rule is gone: that one was done.
        return _promise_outcome(promises, action, _window_words(program))
    return _window_outcome(action, program, still)


def _of_one_kernel(action: dict[str, Any], data: dict[str, Any], old: Kernel) -> dict[str, Any]:
    """The outcome of an action on a kernel that the user asked about."""
    if data["kernels"]:
        return _of_kernel(action, data["kernels"][0])
    for group in _groups_of(data, [old]):
        return _promise_outcome(group["promises"], action, _group_words(group))
    # Nothing shows what replaced the kernel, but the program's window tells whether it helped.
    program = data["program"]
    if program and program["comparable"]:
        before, after = _times(program)
        return outcome_of(
            "kept" if _is_faster(program) else "broken",
            (before - after) * 1e9,
            f"{old.name} is gone; {_window_words(program)}",
            per="window",
        )
    return outcome_of(
        "not-comparable",
        None,
        f"{_MEANING['not-comparable']}: {old.name} is gone, and no kernel in both recordings "
        "shows what replaced it",
    )


def judge(
    action: dict[str, Any], before: Profile, after: Profile, pattern: str | None
) -> dict[str, Any]:
    """The outcome of an action by `roofscope compare`: promise kept, broken or exceeded."""
    try:
        data = _comparison(action, before, after, pattern)
    except RoofscopeError as error:
        return outcome_of("not-comparable", None, f"{_MEANING['not-comparable']}: {error}")
    if pattern is None and (action["kernel"] or action.get("findings")):
        return _of_kernels(action, data, before, after)
    if action["kernel"] is None:
        return _program_action_outcome(action, data["program"], before, after)
    return _of_one_kernel(action, data, kernel_of(before, action["kernel"]))
