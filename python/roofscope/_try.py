# SPDX-License-Identifier: Apache-2.0
"""`roofscope try`: runs a program as it is and with edits, without changing a file."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofscope import _packets, _report_json, _trials, _tried_file
from roofscope._arguments import CommandParser
from roofscope._executable import RoofscopeError
from roofscope._file_lock import locked
from roofscope._listed_profile import listed
from roofscope._profile import Profile
from roofscope._trials import Trial
from roofscope._try_result import Judged, Tried, command_text, exit_text, table
from roofscope._try_run import Run, Runner
from roofscope._try_signals import Interrupted, signals_interrupt

#: A shorter run is repeated, in turns with the trials, if the time limit allows.
_SHORT = 20.0
#: A trial may take this many times as long as a plain run, plus this many seconds.
_SLOWER, _MORE = 3.0, 30.0
#: A longer command from a profile is not run: nobody would read it before agreeing.
_LONGEST_COMMAND = 2000


def _tell(line: str) -> None:
    print(f"roofscope: {line}", file=sys.stderr, flush=True)


@dataclass
class Plan:
    """What to try, and for how long."""

    tried: list[Tried]
    limit: float
    forced: bool  #: named by the user: runs whatever its condition says


class Session:
    """The runs of one `roofscope try`."""

    def __init__(self, runner: Runner, plan: Plan) -> None:
        self._runner, self._plan = runner, plan
        self._end = time.monotonic() + plan.limit
        self.plain: list[Run] = []
        self.measured: list[Run] = []  #: the plain runs whose times count
        self.interrupted: int | None = None  #: the signal that ended it

    def _left(self) -> float:
        return self._end - time.monotonic()

    def _run_plain(self, measured: bool) -> None:
        if self.measured and self._left() < self.plain[0].wall:
            return  # enough is known
        run = self._runner.run(None, max(self._left(), 0.01))
        name = self._runner.command[0]
        if run.code is None and self.measured:
            return
        if run.code is None:
            raise RoofscopeError(
                f"{name}: {exit_text(run)}, without any trial (a longer --time-limit, or a "
                "shorter run of the program)",
                75,
            )
        if run.code != 0:
            raise RoofscopeError(
                f"{name}: {exit_text(run)}, without any trial (only a program that ends with 0 "
                "can be tried)",
                69,
            )
        _tell(f"plain: {run.wall:.3g} s")
        if not self.plain:
            for problem in (p for report in run.reports for p in report.get("problems") or ()):
                _tell(f"note: the hook in the program: {_packets.plain(str(problem), 200)}")
        self.plain.append(run)
        if measured:
            self.measured.append(run)

    def _choose(self) -> list[Tried]:
        """The trials to run. Notes for the others why they do not run."""
        first = self.plain[0]
        # A stand-in for PyTorch or JAX may have a driver that the watch does not know.
        uses_cuda = first.frameworks or any(run.loads_cuda for run in self.plain)
        for one in self._plan.tried:
            framework = one.trial.framework
            if framework != "cuda" and framework not in first.frameworks:
                one.not_tried = f"the program imports no {framework}"
            elif not self._plan.forced and framework == "cuda" and not uses_cuda:
                one.not_tried = "the program uses no CUDA"
            elif not self._plan.forced and framework == "torch" and first.facts:
                one.not_tried = one.trial.condition(first.facts)
        return [one for one in self._plan.tried if one.not_tried is None]

    def run(self) -> None:
        """Runs everything. RoofscopeError (69, 75) if the unchanged program fails."""
        self._run_plain(measured=False)
        wall = self.plain[0].wall
        chosen = self._choose()
        # If there is time, make two rounds, with the run above as a warm-up. Else make one, and the
        # run above counts, too.
        patience = sum(one.trial.patience for one in chosen) / 4
        short = wall <= _SHORT and wall * (2 + 2 * len(chosen)) + patience <= self._left()
        if not short:
            self.measured.append(self.plain[0])
        try:
            for _ in range(2 if short else 1):
                self._run_plain(measured=True)
                for one in chosen:
                    self._try(one, wall)
        except Interrupted as signal_:
            if not self.measured:
                raise
            self.interrupted = signal_.number
            for one in chosen:
                if not one.runs:
                    one.not_tried = "interrupted"

    def _try(self, one: Tried, wall: float) -> None:
        if one.failed or one.not_tried is not None:
            return
        if self._left() < wall:
            if not one.runs:
                one.not_tried = f"the time limit ({self._plan.limit:g} s) left no time for it"
            return
        left, most = self._left(), _SLOWER * wall + _MORE + one.trial.patience
        run = self._runner.run(one.trial, min(left, most))
        if run.code is None and left < most:
            _tell(f"{one.trial.name}: ended by the time limit")
            if not one.runs:
                one.not_tried = f"the time limit ({self._plan.limit:g} s) ended its run"
            return
        one.runs.append(run)
        ended = f"{run.wall:.3g} s" if run.code == 0 else exit_text(run)
        _tell(f"{one.trial.name}: {ended}")


def _named(words: str) -> list[Trial] | None:
    """The trials in a list like "tf32,compile"; None if the word names no trial."""
    known = {trial.name: trial for trial in _trials.trials()}
    names = [name.strip().replace("_", "-") for name in words.split(",") if name.strip()]
    if not any(name in known for name in names):
        return None
    for name in names:
        if name not in known:
            raise RoofscopeError(
                f"try: there is no trial {_packets.plain(name, 40)} (see roofscope try --list)", 64
            )
    return [known[name] for name in dict.fromkeys(names)]


def suggested(profile: Profile) -> list[Tried]:
    """The trials that the actions of a profile suggest, in the order of the actions."""
    found: dict[str, Tried] = {}
    for action in _packets.in_order(profile):
        if not action.can_be_tried:
            continue
        fitting = [t for t in _trials.trials() if action.rule in t.suggested_by]
        # The trial of exactly the action's edit comes first.
        for trial in sorted(fitting, key=lambda t: action.rule not in t.settles):
            found.setdefault(trial.name, Tried(trial)).actions.append(action.id)
    return list(found.values())


def _command_of(profile: Profile, yes: bool, runs: int) -> list[str]:
    """The profile's command, after the user has agreed to run it."""
    command = list(profile.command)
    name = _packets.plain(str(profile.path), 200)
    if not command:
        raise RoofscopeError(f"{name}: does not say its command (give it after --)", 65)
    text = command_text(command)
    if len(text) > _LONGEST_COMMAND:
        raise RoofscopeError(f"{name}: its command is too long to be read (give it after --)", 65)
    print(f"{name} was recorded from:\n  {text}", file=sys.stderr, flush=True)
    if yes:
        return command
    if not sys.stdin.isatty():
        raise RoofscopeError(
            f"{name}: a command from a file runs only if you say so (--yes, or give the program "
            "after --)",
            64,
        )
    question = f"Run it in {_packets.plain(str(Path.cwd()), 200)}, up to {runs} times? [y/N] "
    print(question, end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RoofscopeError("try: nothing was run", 64)
    return command


def _list(as_json: bool) -> str:
    if as_json:
        known = [
            {
                "name": trial.name,
                "title": trial.title,
                "does": trial.does,
                "framework": trial.framework,
                "suggested_by": list(trial.suggested_by),
                "settles": list(trial.settles),
                "changes": trial.changes,
                "keep": trial.keep,
            }
            for trial in _trials.trials()
        ]
        return _report_json.written(known)
    lines = []
    for trial in _trials.trials():
        program = "any CUDA program" if trial.framework == "cuda" else trial.framework
        lines += [
            f"{trial.name}  ({program})",
            f"    {trial.does}",
            f"    Suggested by: {', '.join(trial.suggested_by)}",
            f"    May change: {trial.changes}",
            f"    To keep it: {trial.keep}",
        ]
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    """Writes atomically. RoofscopeError (73) if that is not possible."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise RoofscopeError(f"{path}: cannot be written: {error.strerror}", 73) from error


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="roofscope try",
        usage="roofscope try [TRIALS] [PROFILE] [options] [-- PROGRAM ARGS…]",
        description="Runs a program as it is and with edits that need no change of a file: twice "
        "plain, then once with each trial (twice and in turns, if it is short). Says for each what "
        "it saves, whether the printed numbers and the exit code stay, and what memory it takes. "
        "TRIALS are names with commas (tf32,compile). A PROFILE's actions choose the trials, and "
        "without PROGRAM its command is run after you agree.",
        epilog="Exit codes: 0 something was tried, 2 nothing could be; others: docs/exit-codes.md. "
        "Example: roofscope try -- python3 train.py; or: roofscope try tf32,compile -- python3 "
        "train.py; or: roofscope try train.roofscope.json --yes",
    )
    parser.add_argument("words", nargs="*", metavar="TRIALS|PROFILE")
    parser.add_argument("--list", action="store_true", help="list the trials and their conditions")
    parser.add_argument("--json", action="store_true", help="results as JSON on stdout")
    parser.add_argument("--out", "-o", type=Path, metavar="FILE.json", help="also write the JSON")
    parser.add_argument(
        "--time-limit",
        type=float,
        default=600,
        metavar="SECONDS",
        help="of all runs together; the best trials come first (default: 600)",
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.01,
        metavar="SHARE",
        help="relative difference of printed numbers that counts as the same (default: 0.01)",
    )
    parser.add_argument("--yes", action="store_true", help="run the profile's command unasked")
    return parser


def _sort_out(words: Sequence[str]) -> tuple[list[Trial] | None, Path | None]:
    """The named trials and the profile."""
    named: list[Trial] | None = None
    path: Path | None = None
    for word in words:
        found = None if Path(word).is_file() else _named(word)
        if found is not None and named is None:
            named = found
        elif found is None and path is None and (Path(word).exists() or ".roofscope" in word):
            path = Path(word)
        else:
            near = difflib.get_close_matches(word, [t.name for t in _trials.trials()], 1, 0.6)
            advice = f"did you mean {near[0]}? Else " if near else ""
            raise RoofscopeError(
                f"try: {_packets.plain(word, 80)} is neither a trial nor a profile ({advice}"
                "roofscope try --list; a program comes after --: roofscope try -- python3 "
                "train.py)",
                64,
            )
    return named, path


def _is_same(one: Path, other: Path | None) -> bool:
    return other is not None and one.exists() and other.exists() and other.samefile(one)


def _check_program(command: Sequence[str]) -> None:
    if shutil.which(command[0]) is not None:
        return
    name = _packets.plain(command[0], 200)
    if Path(command[0]).exists():
        raise RoofscopeError(f"{name}: may not be run, or is a folder", 77)
    raise RoofscopeError(f"{name}: no such program", 66)


def _show(judged: Judged, as_json: bool, out: Path | None) -> None:
    data = _report_json.written(judged.data())
    sys.stdout.write(data if as_json else table(judged))
    sys.stdout.flush()
    if out is not None:
        _write(out, data)


def _is_same_command(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether both start the same program with the same arguments, however paths are written."""

    def same(a: str, b: str, program: bool) -> bool:
        if a == b:
            return True
        found = [shutil.which(word) if program else word for word in (a, b)]
        files = [Path(word) for word in found if word]
        return len(files) == 2 and all(f.is_file() for f in files) and files[0].samefile(files[1])

    return len(one) == len(other) and all(
        same(a, b, i == 0) for i, (a, b) in enumerate(zip(one, other, strict=True))
    )


def _note(judged: Judged, profile: Profile, recording: str | None) -> None:
    """Notes the results beside the recording, for its reports."""
    path = _tried_file.place(profile.path)
    name = _packets.plain(str(path), 200)
    if not _is_same_command(judged.command, profile.command):
        _tell("the report does not show this: another command was recorded")
        return
    trials = [dict(trial) for trial in judged.data()["trials"]]
    assert recording is not None
    try:
        with locked(path):
            if (text := _tried_file.noted(path, recording, trials)) is None:
                return
            _write(path, text)
    except (RoofscopeError, OSError) as error:
        _tell(f"the report does not show this: {error}")
        return
    _tell(f"noted in {name}: the report of {_packets.plain(profile.path.name, 200)} shows it")


def main(arguments: list[str]) -> int:
    """`roofscope try`: returns 0 if something was tried, 2 if nothing could be."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    command = arguments[split + 1 :]
    parser = _parser()
    options = parser.parse_args(arguments[:split])
    if options.list:
        sys.stdout.write(_list(options.json))
        return 0
    if not options.time_limit > 0:
        parser.error("--time-limit: not a number of seconds above 0")
    if not 0 <= options.tolerance < 1:
        parser.error("--tolerance: not a share from 0 to 1")
    if options.out is not None and not options.out.parent.is_dir():
        raise RoofscopeError(f"{options.out}: its folder does not exist", 73)
    named, path = _sort_out(options.words)
    if not command and path is None:
        raise RoofscopeError(
            "try: no program to try (example: roofscope try -- python3 train.py)", 64
        )
    if path is not None and _is_same(path, options.out):
        raise RoofscopeError(f"try: {path} is the profile: name another --out", 64)
    profile = None if path is None else listed(path)
    if named is not None:
        tried = [Tried(trial) for trial in named]
    elif profile is not None:
        tried = suggested(profile)
    else:
        tried = [Tried(trial) for trial in _trials.trials()]
    if not tried:
        assert profile is not None
        _nothing(profile)
        return 2
    if not command:
        assert profile is not None
        command = _command_of(profile, options.yes, 3 + 2 * len(tried))
    _check_program(command)
    return _tried(command, Plan(tried, options.time_limit, named is not None), options, profile)


def _nothing(profile: Profile) -> None:
    actions = [action.id for action in _packets.in_order(profile)][:5]
    said = f": {', '.join(_packets.plain(one, 80) for one in actions)}" if actions else ""
    _tell(
        f"{_packets.plain(str(profile.path), 200)}: no trial fits its actions{said} (roofscope try "
        "--list; or name trials: roofscope try tf32,compile …)"
    )


def _tried(command: list[str], plan: Plan, options: Any, profile: Profile | None) -> int:
    """Runs the plan and shows the results."""
    try:
        with signals_interrupt():
            return _run_and_show(command, plan, options, profile)
    except Interrupted as signal_:
        return 128 + signal_.number


def _run_and_show(command: list[str], plan: Plan, options: Any, profile: Profile | None) -> int:
    # Hash it before the runs, during which another recording may replace the file.
    recording = None if profile is None else _tried_file.digest(profile.path)
    session: Session | None = None
    try:
        with Runner(command) as runner:
            session = Session(runner, plan)
            session.run()
    except Interrupted as signal_:
        if session is None or not session.measured:
            _tell("interrupted before a plain run was measured")
            return 128 + signal_.number
        session.interrupted = signal_.number
    judged = Judged(
        command,
        session.plain,
        session.measured,
        plan.tried,
        tolerance=options.tolerance,
        profile=None if profile is None else profile.path,
    )
    _show(judged, options.json, options.out)
    if profile is not None:
        _note(judged, profile, recording)
    if session.interrupted is not None:
        return 128 + session.interrupted
    return 0 if judged.any_run else 2
