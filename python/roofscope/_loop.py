# SPDX-License-Identifier: Apache-2.0
"""`roofscope loop`: a ledger of edits. Each recording judges the last action and picks the next."""

from __future__ import annotations

import argparse
import difflib
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
from roofscope._loop_recording import (
    content_hash,
    file_of,
    is_of,
    refuse_other_program,
    stored_name,
)
from roofscope._loop_rejected import all_said as skips_said
from roofscope._loop_rejected import (
    are_ids,
    are_skips,
    is_skipped,
    not_again,
    parts_of,
    skip,
    take_back,
    why_not,
)
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
    if not all(isinstance(step.get(key, ""), str) for key in ("sha256", "content")):
        return False
    if not are_ids(step.get("passed", [])):
        return False
    if action and not (
        isinstance(action.get("tried"), str | None)
        and isinstance(action.get("subject"), str | None)
        and isinstance(action.get("promise"), str | None)
        and isinstance(action.get("window_bound_ns"), _NUMBER)
        and are_ids(action.get("findings", []))
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
    if not are_skips(ledger.get("skips", [])):
        raise RoofscopeError(f"{path}: 'skips' is damaged", 65)
    if not _loop_trials.are_trials(ledger.get("trials", [])):
        raise RoofscopeError(f"{path}: 'trials' is damaged", 65)
    return ledger


def _mode_of(path: Path) -> int:
    """The file's permissions; those of a new file if there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask


def write_ledger(path: Path, ledger: dict[str, Any]) -> None:
    """Writes atomically: an interrupted process leaves the old file.

    The file keeps its permissions. A link is replaced: `main` resolves the one that was named."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(handle, _mode_of(path))
            file.write(_report_json.written(ledger))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _pick(
    profile: Profile, pattern: str | None, ledger: dict[str, Any]
) -> tuple[Finding | None, list[tuple[str, str]]]:
    """The first untried finding, and which were passed over, each with the reason."""
    rejected, no_help = not_again(ledger), _loop_trials.ruled_out(ledger)
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
    passed: list[tuple[str, str]] = []
    fresh: list[Finding] = []
    for one in found:
        why = why_not(one, parts_of(profile, one), rejected)
        if why is None and one.can_be_tried and one.rule in no_help:
            why = "a trial did not help"
        if why is None:
            fresh.append(one)
        else:
            passed.append((one.id, why))
    return (fresh[0] if fresh else None), passed


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


def _action(profile: Profile, found: Finding, pattern: str | None) -> dict[str, Any]:
    # For a single kernel, gains are told per launch.
    per_window = found.gain_window if pattern is None else None
    return {
        "id": found.id,
        "rule": found.rule,
        "kernel": found.kernel,
        "findings": list(parts_of(profile, found)) if found.kernel is None else [],
        "edit": found.edit,
        "bound_ns": None if found.gain is None else found.gain * 1e9,
        "window_bound_ns": None if per_window is None else per_window * 1e9,
        "estimate": found.estimate,
        # In the words of the report and the packets.
        "promise": _packets.saving(found) if pattern is None else None,
        "timed": bool(profile.program and profile.program.window),
        "tried": found.tried_text and _packets.plain(found.tried_text),
        "can_be_tried": found.can_be_tried,
        "subject": found.subject,
        "expected": [
            {"counter": m.counter, "from": m.before, "to": m.after, "unit": m.unit}
            for m in found.expected
        ],
    }


def _outcome_of_last(
    last: dict[str, Any],
    profile: Profile,
    pattern: str | None,
    folder: Path | None,
    same_program: bool,
) -> dict[str, Any]:
    path = file_of(last, folder)
    name = _packets.plain(last["profile"], 200)
    if not path.exists():
        return outcome_of("not-comparable", None, f"{name} is gone")
    if ("content" in last or "sha256" in last) and not is_of(last, path, content_hash(path)):
        why = f"{name} was overwritten by a later recording: give each a name of its own"
        return outcome_of("not-comparable", None, why)
    before = ListedProfile(path, profile.window)
    if not same_program:
        refuse_other_program(before, profile)
    return judge(last["action"], before, profile, pattern)


def _refuse_again(
    steps: list[dict[str, Any]], profile: Profile, pattern: str | None, content: str | None
) -> None:
    """RoofscopeError (65) for the recording of an earlier step."""
    for step in steps:
        if step.get("kernel") == pattern and is_of(step, profile.path, content):
            raise RoofscopeError(
                f"{profile.path}: the same recording as before (step {step['number']}): make the "
                'edit and record again, or take the step back ("roofscope loop undo")',
                65,
            )


def advance(
    ledger: dict[str, Any],
    profile: Profile,
    pattern: str | None,
    folder: Path | None = None,
    same_program: bool = False,
) -> dict[str, Any]:
    """Adds a recording: judges the last step's action and picks the next. Returns the new step.

    `folder` is that of the ledger, None the current one. Raises RoofscopeError (65) for the
    recording of an earlier step, and for another program unless `same_program`.
    """
    steps: list[dict[str, Any]] = ledger["steps"]
    content = content_hash(profile.path)
    if own := _loop_trials.own(profile):
        _loop_trials.add(ledger, own)
    last = steps[-1] if steps else {}
    last_action = last.get("action") or {}
    skipped = bool(last_action) and is_skipped(last_action, ledger)
    # Older ledgers lack `can_be_tried`.
    no_help = last_action.get("can_be_tried", True) and (
        last_action.get("rule") in _loop_trials.ruled_out(ledger)
    )
    same = bool(last) and is_of(last, profile.path, content)
    asked = last.get("kernel")
    # Several kernels of one recording may be steps: variants that a program runs side by side.
    if same and asked != pattern and (asked is None or pattern is None):
        steps.pop()  # the same recording is asked about a kernel, or about all of it
    elif same and asked == pattern and (skipped or no_help):
        steps.pop()  # this recording gets its next action
    else:
        _refuse_again(steps, profile, pattern, content)
        if skipped or no_help:
            why = "the action was skipped" if skipped else "a trial of the action did not help"
            last["outcome"] = outcome_of("not-comparable", None, why)
        elif last_action:
            last["outcome"] = _outcome_of_last(last, profile, pattern, folder, same_program)
    found, passed = _pick(profile, pattern, ledger)
    totals = [k.duration.total for k in profile.kernels if k.duration.total is not None]
    step: dict[str, Any] = {
        "number": len(steps) + 1,
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "profile": stored_name(profile.path, folder),
        "kernel": pattern,
        "total_ns": sum(totals) * 1e9 if totals else None,
        "action": _action(profile, found, pattern) if found else None,
        "outcome": None,
    }
    if content:
        step["content"] = content
    if passed:
        step["passed"] = [f"{identity} ({why})" for identity, why in passed]
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
        skipped = " (loop undo --skip ID takes a skip back)" if ledger["skipped"] else ""
        raise RoofscopeError(f"loop undo: the ledger has no steps{skipped}", 65)
    step: dict[str, Any] = ledger["steps"].pop()
    if ledger["steps"]:
        ledger["steps"][-1]["outcome"] = None
    return step


def _skip(ledger: dict[str, Any], identity: str, profile: Profile | None, folder: Path) -> None:
    """skip() with the last step's recording, if no other is given."""
    steps = ledger["steps"]
    if profile is None and steps and file_of(steps[-1], folder).exists():
        profile = listed(file_of(steps[-1], folder))
    skip(ledger, identity, profile)


def _show(ledger: dict[str, Any]) -> None:
    if not ledger["steps"] and not ledger["skipped"]:
        print("No steps yet: give a profile.")
    for step in ledger["steps"]:
        print(outcome_line(step))
    for said in _loop_trials.all_said(ledger):
        print(said)
    if skips := skips_said(ledger):
        print(skips)


def _refuse_outside(ledger: dict[str, Any], root: Path, folder: Path) -> None:
    """RoofscopeError (77) for a ledger with a recording outside of this folder."""
    for step in ledger["steps"]:
        if not file_of(step, folder).resolve().is_relative_to(root):
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


def _parser() -> CommandParser:
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
    parser.add_argument(
        "--skip", metavar="ID", help="never propose this action; with undo: take that back"
    )
    parser.add_argument(
        "--same-program",
        action="store_true",
        help="judge the edit although the recordings' commands run different programs",
    )
    parser.add_argument(
        "--window",
        choices=("auto", "loop", "run"),
        default="auto",
        help="what the program is judged by, as in `roofscope report`",
    )
    parser.add_argument(
        "--tried",
        type=Path,
        metavar="FILE.json",
        help="results of roofscope try: an edit that did not help is not proposed",
    )
    return parser


def _change(
    options: argparse.Namespace, path: Path, profile: Profile | None, root: Path | None
) -> str:
    """Does what the options ask to the ledger, and returns what to say about it."""
    said = ""
    trials = [] if options.tried is None else _loop_trials.read_results(options.tried)
    with locked(path):
        ledger = read_ledger(path)
        if root is not None:
            _refuse_outside(ledger, root, path.parent)
        if options.profile == "undo" and options.skip is not None:
            take_back(ledger, options.skip)
            said = f"may be proposed again: {_packets.plain(options.skip, 120)}\n"
        elif options.profile == "undo":
            said = f"taken back: {outcome_line(undo(ledger))}\n"
        elif options.skip is not None:
            _skip(ledger, options.skip, profile, path.parent)
            said = "" if profile else f"{skips_said(ledger)}\n"
        if options.tried is not None:
            _loop_trials.add(ledger, trials)
            said += "".join(f"{_packets.plain(t['sentence'], 200)}\n" for t in trials)
        if profile is not None:
            step = advance(ledger, profile, options.kernel, path.parent, options.same_program)
            said += said_of_step(ledger, step, options.profile)
        write_ledger(path, ledger)
    return said


def _refuse_near_word(name: str) -> None:
    """RoofscopeError (66) for a misspelt "show" or "undo", unless it is a file."""
    if not Path(name).exists() and (near := difflib.get_close_matches(name, ("show", "undo"), 1)):
        raise RoofscopeError(f'loop: no such profile: {name} (did you mean "loop {near[0]}"?)', 66)


def main(arguments: list[str], root: Path | None = None) -> int:
    """`roofscope loop`: returns 0 both with a next action and when it is time to stop.

    With `root` it opens no file outside of this folder, not even one that the ledger names.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    path = Path(options.ledger)
    if path.is_symlink():
        # Resolve the link once, before any check: loops that use the link or the file take the same
        # lock, and a link that appears later is not followed.
        path = Path(os.path.realpath(path))
    word = options.profile if options.profile in ("show", "undo") else None
    given = {"--tried": options.tried}
    if word != "undo":
        given["--skip"] = options.skip
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
    profile = None
    if not word and options.profile is not None:
        _refuse_near_word(options.profile)
        profile = listed(options.profile, options.window)
    sys.stdout.write(_change(options, path, profile, root))
    return 0
