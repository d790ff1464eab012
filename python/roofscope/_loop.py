# SPDX-License-Identifier: Apache-2.0
"""`roofscope loop`: a ledger of edits. Each recording judges the last action and picks the next."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from roofscope import _loop_folder, _loop_trials, _packets, _report_json
from roofscope._arguments import CommandParser
from roofscope._executable import RoofscopeError
from roofscope._file_lock import locked
from roofscope._listed_profile import ListedProfile, listed
from roofscope._loop_judge import judge, kernel_of, outcome_of
from roofscope._loop_words import outcome_line, said_of_step
from roofscope._profile import Profile
from roofscope._records import Finding, Kernel

_DOCTOR = "`roofscope doctor` says what can be recorded here."


def _new_ledger() -> dict[str, Any]:
    return {"format": "roofscope-loop", "schema": [1, 0], "skipped": [], "steps": []}


#: Keys that `read_ledger` requires, with the allowed types of their values.
_Shape = dict[str, tuple[type, ...]]
_NUMBER = (int, float, type(None))
_STEP: _Shape = {
    "number": (int,),
    "profile": (str,),
    "action": (dict, type(None)),
    "outcome": (dict, type(None)),
}
_ACTION: _Shape = {
    "id": (str,),
    "rule": (str,),
    "kernel": (str, type(None)),
    "edit": (str,),
    "bound_ns": _NUMBER,
}
_OUTCOME: _Shape = {"state": (str,), "why": (str,), "saved_ns": _NUMBER}


def _has(shape: _Shape, value: Any) -> bool:
    return isinstance(value, dict) and all(
        key in value and isinstance(value[key], types) for key, types in shape.items()
    )


def _is_step(step: Any) -> bool:
    if not _has(_STEP, step):
        return False
    action, outcome = step["action"], step["outcome"]
    if not isinstance(step.get("sha256", ""), str):
        return False
    if action and not (
        isinstance(action.get("tried"), str | None)
        and isinstance(action.get("subject"), str | None)
        and isinstance(action.get("window_bound_ns"), _NUMBER)
    ):
        return False
    # Outcomes about several kernels have their own bound; older ledgers lack the cause.
    text = (str, type(None))
    further: _Shape = {"bound_ns": _NUMBER, "window_saved_ns": _NUMBER, "cause": text, "per": text}
    return (_has(_ACTION, action) if action else _has({"stop": (str,)}, step)) and (
        not outcome
        or (
            _has(_OUTCOME, outcome)
            and all(isinstance(outcome.get(key), types) for key, types in further.items())
        )
    )


def read_ledger(path: Path) -> dict[str, Any]:
    """The ledger; an empty one if there is no file yet."""
    try:
        ledger = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _new_ledger()
    except (OSError, ValueError, RecursionError) as bad:
        raise RoofscopeError(f"{path}: cannot be read as a ledger: {bad}", 65) from bad
    if not isinstance(ledger, dict) or ledger.get("format") != "roofscope-loop":
        raise RoofscopeError(f"{path}: not a ledger of roofscope loop", 65)
    schema = ledger.get("schema")
    if not isinstance(schema, list) or not schema or schema[0] != 1:
        raise RoofscopeError(f"{path}: written by a newer roofscope", 65)
    skipped, steps = ledger.get("skipped"), ledger.get("steps")
    if not isinstance(skipped, list) or not all(isinstance(one, str) for one in skipped):
        raise RoofscopeError(f"{path}: 'skipped' is not a list of ids", 65)
    if not isinstance(steps, list):
        raise RoofscopeError(f"{path}: 'steps' is not a list", 65)
    for i, step in enumerate(steps):
        if not _is_step(step):
            raise RoofscopeError(f"{path}: step {i + 1} is damaged", 65)
    if not _loop_trials.are_trials(ledger.get("trials", [])):
        raise RoofscopeError(f"{path}: 'trials' is damaged", 65)
    return ledger


def write_ledger(path: Path, ledger: dict[str, Any]) -> None:
    """Writes atomically: an interrupted process leaves the old file.

    The file keeps its permissions. A link is replaced: `main` resolves the one that was named."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(handle, stat.S_IMODE(path.stat().st_mode))
            file.write(_report_json.written(ledger))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _pick(
    profile: Profile, pattern: str | None, ledger: dict[str, Any]
) -> tuple[Finding | None, int]:
    """The first untried finding, and how many were skipped."""
    tried, no_help = _not_again(ledger), _loop_trials.ruled_out(ledger)
    # The report itself already leaves out what this recording's own trials rule out.
    no_help -= {rule for trial in _loop_trials.own(profile) for rule in trial["settles"]}
    if pattern is None:
        found = _packets.in_order(profile)
    else:
        kernels = _kernels(profile, pattern)
        found = [f for k in kernels for f in k.findings if not f.minor]
        # The largest gain first. A finding without a known gain promises nothing.
        found = [f for f in found if f.gain is not None]
        found.sort(key=lambda f: -(f.gain_total or f.gain or 0))
    fresh = [
        f for f in found if not _is_among(f, tried) and not (f.can_be_tried and f.rule in no_help)
    ]
    return (fresh[0] if fresh else None), len(found) - len(fresh)


def _lacking(profile: Profile, pattern: str | None) -> str | None:
    """What must still be measured to know that nothing is left to do; None if nothing."""
    if pattern is None:
        return _packets.lacking(profile)
    for kernel in _kernels(profile, pattern):
        if kernel.duration.total is None:
            return f"Not measured: no time of {kernel.id} was recorded. {_DOCTOR}"
        if kernel.verdict.kind == "unknown":
            return f"Not measured: what limits {kernel.id}. {_DOCTOR}"
    return None


def _kernels(profile: Profile, pattern: str) -> list[Kernel]:
    """All kernels of an NVTX range, or the one kernel with this id or name."""
    return [k for k in profile.kernels if k.range == pattern] or [kernel_of(profile, pattern)]


def _action(found: Finding, pattern: str | None) -> dict[str, Any]:
    # For a single kernel, gains are told per launch.
    per_window = found.gain_window if pattern is None else None
    return {
        "id": found.id,
        "rule": found.rule,
        "kernel": found.kernel,
        "edit": found.edit,
        "bound_ns": None if found.gain is None else found.gain * 1e9,
        "window_bound_ns": None if per_window is None else per_window * 1e9,
        "estimate": found.estimate,
        "tried": found.tried_text and _packets.plain(found.tried_text),
        "can_be_tried": found.can_be_tried,
        "subject": found.subject,
        "expected": [
            {"counter": m.counter, "from": m.before, "to": m.after, "unit": m.unit}
            for m in found.expected
        ],
    }


def _not_again(ledger: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Ids and subjects that are not proposed again. A partly kept action may be proposed again."""
    actions = [step["action"] for step in ledger["steps"] if step["action"]]
    subjects = {action["id"]: action.get("subject") for action in actions}
    return [(one, subjects.get(one)) for one in ledger["skipped"]] + [
        (step["action"]["id"], step["action"].get("subject"))
        for step in ledger["steps"]
        if step["action"] and (step["outcome"] or {}).get("state") != "partly"
    ]


def _is_among(found: Finding, tried: list[tuple[str, str | None]]) -> bool:
    """Whether a finding is one of those that were tried.

    The id of an action is that of its rule, with a suffix if the rule has several actions. How many
    there are may differ between recordings; then the subject tells them apart. Older ledgers have
    no subjects, so there all actions of a rule count as the same one.
    """
    if found.kernel is not None or found.subject is None:
        return any(found.id == identity for identity, _ in tried)
    if any(found.id == one and subject in (None, found.subject) for one, subject in tried):
        return True
    plain = f"program/{found.rule}"
    for identity, subject in tried:
        if found.id == plain and identity.startswith(f"{plain}-"):
            known = subject or identity.removeprefix(f"{plain}-").partition("x")[0]
            if found.subject.startswith(known):
                return True
        if identity == plain and (subject is None or subject == found.subject):
            return True
    return False


def _hash(path: Path) -> str | None:
    """A hash that identifies the recording; None if the file cannot be read."""
    try:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()
    except OSError:
        return None


def _outcome_of_last(last: dict[str, Any], profile: Profile, pattern: str | None) -> dict[str, Any]:
    path = Path(last["profile"])
    name = _packets.plain(last["profile"], 200)
    if not path.exists():
        return outcome_of("not-comparable", None, f"{name} is gone")
    if "sha256" in last and _hash(path) != last["sha256"]:
        why = f"{name} was overwritten by a later recording: give each a name of its own"
        return outcome_of("not-comparable", None, why)
    return judge(last["action"], ListedProfile(last["profile"]), profile, pattern)


def advance(ledger: dict[str, Any], profile: Profile, pattern: str | None) -> dict[str, Any]:
    """Adds a recording: judges the last step's action and picks the next. Returns the new step.

    Raises RoofscopeError (65) for the recording of the last step.
    """
    steps: list[dict[str, Any]] = ledger["steps"]
    digest = _hash(profile.path)
    if own := _loop_trials.own(profile):
        _loop_trials.add(ledger, own)
    last = steps[-1] if steps else {}
    # Several kernels of one recording may be steps: variants that a program runs side by side.
    last_action = last.get("action") or {}
    skipped = last_action.get("id") in ledger["skipped"]
    # Older ledgers lack `can_be_tried`.
    no_help = last_action.get("can_be_tried", True) and (
        last_action.get("rule") in _loop_trials.ruled_out(ledger)
    )
    if digest and last.get("sha256") == digest and last.get("kernel") == pattern:
        if not (skipped or no_help):
            raise RoofscopeError(
                f"{profile.path}: the same recording as before (step {last['number']}): make the "
                'edit and record again, or take the step back ("roofscope loop undo")',
                65,
            )
        steps.pop()  # this recording gets its next action
    elif skipped or no_help:
        why = "the action was skipped" if skipped else "a trial of the action did not help"
        last["outcome"] = outcome_of("not-comparable", None, why)
    elif last.get("action"):
        last["outcome"] = _outcome_of_last(last, profile, pattern)
    found, passed = _pick(profile, pattern, ledger)
    totals = [k.duration.total for k in profile.kernels if k.duration.total is not None]
    step: dict[str, Any] = {
        "number": len(steps) + 1,
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "profile": str(profile.path),
        "kernel": pattern,
        "total_ns": sum(totals) * 1e9 if totals else None,
        "action": _action(found, pattern) if found else None,
        "outcome": None,
    }
    if digest:
        step["sha256"] = digest
    if not found:
        lacking = _lacking(profile, pattern)
        step["cannot_tell"] = lacking is not None
        step["stop"] = lacking or (
            "no untried action can save 3 %"
            if passed
            else "no finding can save 3 %: roofscope has nothing more to suggest"
        )
    steps.append(step)
    return step


def undo(ledger: dict[str, Any]) -> dict[str, Any]:
    """Removes the last step and the outcome that it gave to the one before. Returns the step."""
    if not ledger["steps"]:
        raise RoofscopeError("loop undo: the ledger has no steps", 65)
    step: dict[str, Any] = ledger["steps"].pop()
    if ledger["steps"]:
        ledger["steps"][-1]["outcome"] = None
    return step


def skip(ledger: dict[str, Any], action: str, profile: Profile | None) -> None:
    """Never proposes an action again. Raises RoofscopeError (64) for an id that nothing has."""
    steps = ledger["steps"]
    if profile is None and steps and Path(steps[-1]["profile"]).exists():
        profile = listed(steps[-1]["profile"])
    known = {step["action"]["id"] for step in steps if step["action"]}
    if profile is not None:
        known |= {found.id for found in _packets.in_order(profile)}
        known |= {found.id for kernel in profile.kernels for found in kernel.findings}
    if action not in known:
        raise RoofscopeError(
            f"--skip {action}: no action of the ledger or of its last recording has this id "
            '(see "roofscope loop show")',
            64,
        )
    if action not in ledger["skipped"]:
        ledger["skipped"].append(action)


def _show(ledger: dict[str, Any]) -> None:
    if not ledger["steps"] and not ledger["skipped"]:
        print("No steps yet: give a profile.")
    for step in ledger["steps"]:
        print(outcome_line(step))
    for said in _loop_trials.all_said(ledger):
        print(said)
    if ledger["skipped"]:
        print("never proposed: " + ", ".join(_packets.plain(i, 120) for i in ledger["skipped"]))


def _refuse_outside(ledger: dict[str, Any], root: Path) -> None:
    """RoofscopeError (77) for a ledger with a recording outside of this folder."""
    for step in ledger["steps"]:
        if not Path(step["profile"]).resolve().is_relative_to(root):
            name = _packets.plain(step["profile"], 120)
            raise RoofscopeError(f"refused: the ledger's recording {name} is outside of {root}", 77)


def _says_of_folder(name: str | None, more: object, root: Path | None) -> bool:
    """Prints what was tried, if `name` is a folder of `extract`. `more`: further options."""
    if name is None or not _loop_folder.is_folder(Path(name)):
        return False
    if more:
        raise RoofscopeError(f"loop: {name}: a folder of extract is given alone", 64)
    sys.stdout.write(_loop_folder.said_of(Path(name), root))
    return True


def main(arguments: list[str], root: Path | None = None) -> int:
    """`roofscope loop`: returns 0 both with a next action and when it is time to stop.

    With `root` it opens no file outside of this folder, not even one that the ledger names.
    """
    parser = CommandParser(
        prog="roofscope loop",
        description="Adds a recording to the ledger: says whether the last action's promise was "
        "kept, broken or exceeded, and which action is next. No action is proposed twice.",
        epilog="Example: roofscope loop app-after.roofscope.json.gz; or: roofscope loop undo",
    )
    parser.add_argument(
        "profile",
        nargs="?",
        help='a new recording; "show" (or nothing): the ledger; "undo": take the last step back; '
        "or a folder of extract: what was tried there",
    )
    parser.add_argument("-k", "--kernel", help="only this kernel: id, name or NVTX range")
    parser.add_argument("--ledger", default="roofscope-loop.json", help="default: %(default)s")
    parser.add_argument("--skip", metavar="ID", help="never propose this action")
    parser.add_argument(
        "--tried",
        type=Path,
        metavar="FILE.json",
        help="results of roofscope try: an edit that did not help is not proposed",
    )
    options = parser.parse_args(arguments)
    path = Path(options.ledger)
    if path.is_symlink():
        # Resolve the link once, before any check: loops that use the link or the file take the same
        # lock, and a link that appears later is not followed.
        path = Path(os.path.realpath(path))
    word = options.profile if options.profile in ("show", "undo") else None
    given = {"--skip": options.skip, "--tried": options.tried}
    if word and (both := [option for option, value in given.items() if value is not None]):
        parser.error(f"{both[0]} and {word} exclude each other")
    for file in (path, options.tried):
        if root is not None and file and not file.resolve().is_relative_to(root):
            raise RoofscopeError(f"refused: {file} is outside of {root}", 77)
    changes = options.skip is not None or options.tried is not None
    if word == "show" or not (changes or options.profile):
        _show(read_ledger(path))
        return 0
    if not word and _says_of_folder(options.profile, changes or options.kernel, root):
        return 0
    if not path.parent.is_dir():
        raise RoofscopeError(f"{path}: its folder does not exist", 73)
    profile = None if word or options.profile is None else listed(options.profile)
    said = ""
    trials = [] if options.tried is None else _loop_trials.read_results(options.tried)
    with locked(path):
        ledger = read_ledger(path)
        if root is not None:
            _refuse_outside(ledger, root)
        if word == "undo":
            said = f"taken back: {outcome_line(undo(ledger))}\n"
        if options.skip is not None:
            skip(ledger, options.skip, profile)
        if options.tried is not None:
            _loop_trials.add(ledger, trials)
            said += "".join(f"{_packets.plain(t['sentence'], 200)}\n" for t in trials)
        if profile is not None:
            step = advance(ledger, profile, options.kernel)
            said += said_of_step(ledger, step)
        write_ledger(path, ledger)
    sys.stdout.write(said)
    return 0
