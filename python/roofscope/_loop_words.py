# SPDX-License-Identifier: Apache-2.0
"""What `roofscope loop` says about the steps of its ledger.

Gains are per window of the program, so that they can be compared. They are per launch if only one
kernel was asked for, if no window was timed, or if its launches per window changed.
"""

from __future__ import annotations

from typing import Any

from roofscope import _loop_trials, _packets


def _is_of_window(action: dict[str, Any], outcome: dict[str, Any]) -> bool:
    """Whether `saved_ns` is per window; else it is per launch of the kernel."""
    return "bound_ns" in outcome or not action["kernel"] or outcome.get("per") == "window"


def _whole(action: dict[str, Any]) -> str:
    """What the gain of an action of the program is told per."""
    return "per window" if action.get("timed", True) else "over all launches"


def _promised(action: dict[str, Any], outcome: dict[str, Any]) -> tuple[str, str]:
    """ "at most 12 µs", and what that is per ("per window").

    The bound is that of the whole group if a group of kernels was judged. It is per window only if
    the saving is known per window, too, or not at all."""
    of, ns, unit = action, action.get("window_bound_ns"), _whole(action)
    comparable = (
        _is_of_window(action, outcome)
        or outcome.get("saved_ns") is None
        or outcome.get("window_saved_ns") is not None
    )
    if "bound_ns" in outcome:
        of, ns = outcome, outcome["bound_ns"]
    elif ns is None or not comparable:
        ns, unit = action["bound_ns"], "per launch" if action["kernel"] else _whole(action)
    return _packets.bound(None if ns is None else ns * 1e-9, bool(of.get("estimate"))), unit


def _reached(action: dict[str, Any], outcome: dict[str, Any], unit: str) -> tuple[str, str]:
    """ "11 µs", and what that is per: `unit`, if the saving is known so."""
    ns = outcome["saved_ns"]
    if ns is None:
        return "not measured", unit
    if _is_of_window(action, outcome):
        unit = _whole(action)
    elif unit == "per window":
        ns = outcome["window_saved_ns"]
    return _packets.time(ns * 1e-9), unit


def _end(step: dict[str, Any]) -> str:
    word = "cannot tell" if step.get("cannot_tell") else "stop"
    return f"{word}: {_packets.plain(step['stop'])}"


def outcome_line(step: dict[str, Any]) -> str:
    """A step in one line: what its action promised and what it reached."""
    action, outcome = step["action"], step["outcome"]
    if not action:
        return f"{step['number']}. {_end(step)}"
    promised, unit = _promised(action, outcome or {})
    line = f"{step['number']}. {_packets.plain(action['id'], 120)}: promised {promised}"
    if outcome is None:
        return f"{line} {unit}, open"
    reached, reached_unit = _reached(action, outcome, unit)
    if reached_unit != unit:
        line += f" {unit}"
    cause = f". {_packets.plain(outcome['cause'], 160)}" if outcome.get("cause") else ""
    state = _packets.plain(outcome["state"])
    return f"{line}, reached {reached} {reached_unit}: {state}{cause}"


def said_of_step(ledger: dict[str, Any], step: dict[str, Any], profile: str | None = None) -> str:
    """The result of the last action, and the next action. `profile` is what the user called it."""
    lines = []
    if len(ledger["steps"]) > 1:
        before = ledger["steps"][-2]
        if before["outcome"]:
            lines.append(outcome_line(before))
            lines.append(f"   {_packets.plain(before['outcome']['why'])}")
    action = step["action"]
    if not action:
        lines.append(_end(step))
    else:
        gain = _packets.plain(action.get("promise") or action.get("tried") or "")
        gain = gain or "{} {}".format(*_promised(action, {}))
        lines.append(f"next: {_packets.plain(action['id'], 120)}, {gain}")
        lines.append(f"   {_packets.plain(action['edit'])}")
        if not action.get("tried") and action.get("can_be_tried", True):
            lines += [f"   {said}" for said in _loop_trials.said_of(ledger, action["rule"])]
        lines.append(
            f"   details: {_packets.show_command(action['id'], profile or step['profile'])}"
        )
    if passed := step.get("passed"):
        lines.append(f"   not again: {_packets.plain(', '.join(passed), 300)}")
    return "\n".join(lines) + "\n"
