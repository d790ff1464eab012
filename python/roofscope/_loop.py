# SPDX-License-Identifier: Apache-2.0
"""`roofscope loop`: a ledger of edits. Each recording judges the last action and names the next."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from roofscope import _executable, _packets
from roofscope._executable import RoofscopeError
from roofscope._profile import Finding, Kernel, Profile
from roofscope._profile import open as open_profile

#: How far a bound may be exceeded before it counts as wrong: durations have noise.
_BOUND_NOISE = 0.02

_MEANING = {
    "kept": "the finding is gone and the kernel is faster",
    "broken": "not what was promised",
    "beyond-bound": "faster than the bound allowed: the edit did more than this, or the bound is "
    "wrong",
    "not-comparable": "nothing could be compared",
}


def _new_ledger() -> dict[str, Any]:
    return {"format": "roofscope-loop", "schema": [1, 0], "skipped": [], "steps": []}


def read_ledger(path: Path) -> dict[str, Any]:
    """The ledger, an empty one where there is no file yet."""
    try:
        ledger = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _new_ledger()
    except (OSError, ValueError) as bad:
        raise RoofscopeError(f"{path}: cannot be read as a ledger: {bad}", 65) from bad
    if not isinstance(ledger, dict) or ledger.get("format") != "roofscope-loop":
        raise RoofscopeError(f"{path}: not a ledger of roofscope loop", 65)
    if ledger["schema"][0] != 1:
        raise RoofscopeError(f"{path}: written by a newer roofscope", 65)
    return ledger


def write_ledger(path: Path, ledger: dict[str, Any]) -> None:
    """Writes atomically, so that a stopped process leaves the old file."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(ledger, file, indent=1, ensure_ascii=False)
            file.write("\n")
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _pick(profile: Profile, pattern: str | None, tried: set[str]) -> tuple[Finding | None, int]:
    """The untried finding with the largest gain, and how many were skipped."""
    found = _packets.worthwhile(profile)
    if pattern is not None:
        kernel = _kernel(profile, pattern)
        found = [f for f in kernel.findings if not f.minor and not f.blocked]
        found = [f for f in found if (f.gain_share or 0) >= _packets.WORTHWHILE]
        found.sort(key=lambda f: -(f.gain or 0))
    fresh = [f for f in found if f.id not in tried]
    return (fresh[0] if fresh else None), len(found) - len(fresh)


def _kernel(profile: Profile, pattern: str) -> Kernel:
    try:
        return profile.kernel(pattern)
    except KeyError:
        raise RoofscopeError(
            f"{profile.path.name} has no kernel {_packets.plain(pattern, 80)}", 64
        ) from None


def _comparison(
    action: dict[str, Any], before: Profile, after: Profile, pattern: str | None
) -> dict[str, Any] | None:
    """The entry of the comparison about the action's kernel."""
    old = _kernel(before, action["kernel"])
    arguments: list[str | Path] = [before.path, after.path]
    new = old if pattern is None else _kernel(after, pattern)
    if before.path.samefile(after.path) and new.id != old.id:  # two kernels of one recording
        arguments = [before.path, "--kernel", old.range or old.name]
        arguments += ["--with", new.range or new.name]
    data = _executable.run_json("compare", *arguments, expect=(0, 2))
    for entry in data["kernels"]:
        baseline = entry["baseline"]
        if (baseline["full_name"], baseline["range"]) == (old.full_name, old.range):
            return entry if entry["comparable"] else None
    return None


def judge(
    action: dict[str, Any], before: Profile, after: Profile, pattern: str | None
) -> dict[str, Any]:
    """The outcome of an action, from `roofscope compare`: promise kept, broken or exceeded."""
    entry = _comparison(action, before, after, pattern)
    if entry is None:
        return {"state": "not-comparable", "saved_ns": None, "why": _MEANING["not-comparable"]}
    promise = next((p for p in entry["promises"] if p["rule"] == action["rule"]), None)
    duration = entry["duration"]
    saved = duration["saved_ns"]
    came_true = promise is not None and promise["outcome"] == "came-true"
    bound, faster = action["bound_ns"], duration["state"] == "faster"
    if faster and saved is not None and bound and saved > bound * (1 + _BOUND_NOISE):
        state = "beyond-bound"
    elif faster and came_true:
        state = "kept"
    else:
        state = "broken"
    cause = entry["cause"].get("sentence") if entry.get("cause") else None
    counters = promise["outcome"] if promise else "finding not in the baseline"
    why = f"{_MEANING[state]}; time: {duration['state']}; promised counters: {counters}"
    return {"state": state, "saved_ns": saved, "why": why, "cause": cause}


def _action(found: Finding) -> dict[str, Any]:
    return {
        "id": found.id,
        "rule": found.rule,
        "kernel": found.kernel,
        "edit": found.edit,
        "bound_ns": None if found.gain is None else found.gain * 1e9,
        "expected": [
            {"counter": m.counter, "from": m.before, "to": m.after, "unit": m.unit}
            for m in found.expected
        ],
    }


def advance(ledger: dict[str, Any], profile: Profile, pattern: str | None) -> dict[str, Any]:
    """Adds a recording: judges the action of the last step, chooses the next. Returns the step."""
    steps: list[dict[str, Any]] = ledger["steps"]
    outcome = None
    if steps and steps[-1]["action"]:
        last = steps[-1]
        before = Profile(last["profile"])
        if not before.path.exists():
            outcome = {
                "state": "not-comparable",
                "saved_ns": None,
                "why": f"{last['profile']} is gone",
            }
        elif last["action"]["kernel"] is None:
            outcome = {
                "state": "not-comparable",
                "saved_ns": None,
                "why": "the action is not about one kernel",
            }
        else:
            outcome = judge(last["action"], before, profile, pattern)
        last["outcome"] = outcome
    tried = {step["action"]["id"] for step in steps if step["action"]} | set(ledger["skipped"])
    found, passed = _pick(profile, pattern, tried)
    totals = [k.duration.total for k in profile.kernels if k.duration.total is not None]
    step: dict[str, Any] = {
        "number": len(steps) + 1,
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "profile": str(profile.path),
        "kernel": pattern,
        "total_ns": sum(totals) * 1e9 if totals else None,
        "action": _action(found) if found else None,
        "outcome": None,
    }
    if not found:
        step["stop"] = (
            "no action that was not tried can win 3 %"
            if passed
            else "no finding can win 3 %: roofscope has nothing more to suggest"
        )
    steps.append(step)
    return step


def _saved(ns: float | None) -> str:
    return "not measured" if ns is None else _packets.time(ns * 1e-9)


def _outcome_line(step: dict[str, Any]) -> str:
    action, outcome = step["action"], step["outcome"]
    if not action:
        return f"{step['number']}. stop: {step['stop']}"
    line = f"{step['number']}. {action['id']}: promised at most {_saved(action['bound_ns'])}"
    if outcome is None:
        return line + ", open"
    cause = f". {_packets.plain(outcome['cause'], 160)}" if outcome.get("cause") else ""
    return f"{line}, reached {_saved(outcome['saved_ns'])}: {outcome['state']}{cause}"


def _say(ledger: dict[str, Any], step: dict[str, Any]) -> str:
    lines = []
    if len(ledger["steps"]) > 1:
        before = ledger["steps"][-2]
        lines.append(_outcome_line(before))
        if before["outcome"]:
            lines.append(f"   {before['outcome']['why']}")
    action = step["action"]
    if not action:
        lines.append(f"stop: {step['stop']}")
    else:
        profile = Path(step["profile"])
        lines.append(
            f"next: {action['id']}, at most {_saved(action['bound_ns'])} per launch\n"
            f"   {_packets.plain(action['edit'])}\n"
            f"   details: roofscope show {action['id']} {profile}"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """`roofscope loop`: 0 when there is a next action, and when it is time to stop."""
    parser = argparse.ArgumentParser(
        prog="roofscope loop",
        description="Adds a recording to the ledger: says whether the last action's promise was "
        "kept, broken or exceeded, and which action is next, none twice.",
    )
    parser.add_argument("profile", nargs="?", help="a new recording; without it: the ledger")
    parser.add_argument("-k", "--kernel", help="only this kernel: id, name or NVTX range")
    parser.add_argument("--ledger", default="roofscope-loop.json", help="default: %(default)s")
    parser.add_argument("--skip", metavar="ID", help="never propose this action")
    options = parser.parse_args(arguments)
    path = Path(options.ledger)
    ledger = read_ledger(path)
    if options.skip:
        ledger["skipped"].append(options.skip)
        write_ledger(path, ledger)
        return 0
    if options.profile is None:
        for step in ledger["steps"]:
            print(_outcome_line(step))
        return 0
    step = advance(ledger, open_profile(options.profile), options.kernel)
    write_ledger(path, ledger)
    sys.stdout.write(_say(ledger, step))
    return 0
