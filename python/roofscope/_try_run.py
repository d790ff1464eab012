# SPDX-License-Identifier: Apache-2.0
"""Runs a program once for `roofscope try`, with the hook, and ends all that it started."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from roofscope import _trials, _try_reports
from roofscope._executable import RoofscopeError, executable
from roofscope._own_folder import OwnFolder
from roofscope._trials import Trial
from roofscope._try_cuda import CudaWatch
from roofscope._try_signals import held

#: Bytes of each stream that are kept from its beginning and from its end.
_MOST_HEAD, _MOST_TAIL = 8 << 20, 16 << 10
#: Seconds for the guard to end what the program has started: SIGTERM, and 5 s later SIGKILL.
_GRACE = 10.0
#: The longest time limit, in seconds, that means one.
_FOREVER = 1e9
#: Names of variables (roofscope/_trials/hook/program_hook.py reads them).
_REPORTS, _TRIAL = "ROOFSCOPE_TRY_REPORTS", "ROOFSCOPE_TRY_TRIAL"
#: The line of a traceback that names the exception.
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]{0,100}(?:Error|Exception)(?::|$)")


@dataclass(frozen=True)
class Run:
    """One run of the program."""

    wall: float  #: seconds from its start to its end
    code: int | None  #: exit code, negative for a signal; None: ended by the time limit
    output: str  #: stdout, then stderr
    last_words: str  #: the last error that it wrote to stderr, else its last line
    reports: list[dict[str, Any]] = field(default_factory=list)  #: of its Python processes
    loads_cuda: bool = True  #: False: no process of it had CUDA's driver loaded

    @property
    def steps(self) -> dict[str, Any] | None:
        """The steps of the process that made the most steps; None if no step has a time."""
        found = [r["steps"] for r in self.reports if isinstance(r.get("steps"), dict)]
        return max(found, key=lambda steps: steps["count"], default=None)

    @property
    def peak_bytes(self) -> int | None:
        """The most GPU memory that a process had allocated on one GPU; None: not measured."""
        found = [r["peak_bytes"] for r in self.reports if r.get("peak_bytes")]
        return max(found, default=None)

    @property
    def frameworks(self) -> set[str]:
        """What its Python processes imported: torch, jax."""
        return {name for report in self.reports for name in report["frameworks"]}

    @property
    def facts(self) -> dict[str, Any]:
        """What the process with the most steps used of PyTorch; empty if no process did."""
        found = [r for r in self.reports if isinstance(r.get("torch"), dict)]
        best = max(found, key=lambda r: (r.get("steps") or {}).get("count", 0), default={})
        return dict(best.get("torch") or {})


class _Stream:
    """Reads a pipe to its end in a thread; keeps the beginning and the end."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._head, self._tail = bytearray(), bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while block := os.read(self._pipe.fileno(), 1 << 16):
                if len(self._head) < _MOST_HEAD:
                    self._head += block
                self._tail = (self._tail + block)[-_MOST_TAIL:]

    def close(self) -> None:
        """Waits for the end, but not for ever: an unknown process may keep the pipe open."""
        self._thread.join(2)
        if not self._thread.is_alive():
            self._pipe.close()

    def text(self) -> str:
        """The beginning."""
        return bytes(self._head).decode("utf-8", "replace")

    def last_words(self) -> str:
        """The last line that names an exception (PyTorch adds advice after it), else the last line.

        Empty if nothing was written.
        """
        lines = bytes(self._tail).decode("utf-8", "replace").splitlines()
        said = [line.strip() for line in reversed(lines) if line.strip()]
        return next((line for line in said if _EXCEPTION.match(line)), said[0] if said else "")


class Runner:
    """Runs a program with trials. What runs leave behind goes into its temporary folder."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self._own: OwnFolder | None = None
        self._folder = Path()
        self._count = 0

    def _close(self) -> None:
        """Removes the folder."""
        with held():
            if self._own is not None:
                self._own.remove()

    def __enter__(self) -> Runner:
        try:
            with held():
                self._own = OwnFolder()
                self._folder = self._own.path
            hook = self._folder / "hook"
            hook.mkdir()
            for file in _trials.hook_files():
                shutil.copyfile(file, hook / file.name)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def run(self, trial: Trial | None, limit: float) -> Run:
        """Runs the program, for at most `limit` seconds. Processes that it started end with it.

        RoofscopeError (66, 77) if it cannot be started.
        """
        self._count += 1
        reports = self._folder / f"reports{self._count}"
        reports.mkdir()
        environment = self._environment(trial, reports)
        end = self._folder / f"end{self._count}"
        limit = min(limit, _FOREVER)
        begin = time.monotonic()
        process: subprocess.Popen[bytes] | None = None
        watch: CudaWatch | None = None
        streams: list[_Stream] = []
        try:
            with held():
                process = self._start(environment, end, limit)
                streams = [_Stream(pipe) for pipe in (process.stdout, process.stderr) if pipe]
            if trial is None:
                watch = CudaWatch(process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(limit + _GRACE)
            wall, hangs = time.monotonic() - begin, process.returncode is None
        finally:
            if process is not None:
                try:
                    _end(process)
                except BaseException:  # a signal meanwhile
                    _end(process)
                    raise
            for stream in streams:
                stream.close()
            loads_cuda = watch.close() if watch is not None else True
        code, seconds = (None, None) if hangs else _ended(end, process)
        if seconds is None and code in (66, 77):  # the guard could not start it
            raise RoofscopeError(streams[1].last_words().removeprefix("roofscope: "), code)
        return Run(
            wall=wall if seconds is None else seconds,
            code=code,
            output="\n".join(stream.text() for stream in streams),
            last_words=streams[1].last_words() or streams[0].last_words(),
            reports=list(_try_reports.read(reports)),
            loads_cuda=loads_cuda,
        )

    def _start(
        self, environment: dict[str, str], end: Path, limit: float
    ) -> subprocess.Popen[bytes]:
        """Starts the program under a guard, which ends it with us, even if we are killed."""
        guard = [str(executable()), "guard", f"--end={end}", f"--timeout={limit!r}", "--"]
        try:
            return subprocess.Popen(
                [*guard, *self.command],
                # The program gets no input. The guard waits for the end of this.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,  # Ctrl+C reaches only roofscope, which ends the program
            )
        except (OSError, ValueError) as error:
            raise RoofscopeError(f"{self.command[0]}: cannot be started: {error}", 66) from error

    def _environment(self, trial: Trial | None, reports: Path) -> dict[str, str]:
        """The user's environment with the hook, and with the trial's variables."""
        found = dict(os.environ)
        hook = self._folder / "hook"
        users = found.get("PYTHONPATH")
        found["PYTHONPATH"] = f"{hook}{os.pathsep}{users}" if users else str(hook)
        found[_REPORTS] = str(reports)
        found.pop(_TRIAL, None)
        if trial is not None:
            scratch = self._folder / trial.name
            scratch.mkdir(exist_ok=True)
            found |= trial.variables(scratch)
            if trial.file is not None:
                shutil.copyfile(trial.file, hook / f"trial_{trial.name}.py")
                found[_TRIAL] = trial.name
        return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """Makes the guard end the program, if it still runs, and all that the program has started."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    if process.returncode is None:
        process.kill()
        process.wait()


def _ended(file: Path, process: subprocess.Popen[bytes]) -> tuple[int | None, float | None]:
    """The program's code (as of `Run`) and seconds, as the guard wrote them to the file."""
    try:
        end = json.loads(file.read_text())
    except (OSError, ValueError):  # somebody killed the guard, or it started nothing
        return process.returncode, None
    code = end["code"] if end["signal"] is None else -end["signal"]
    return None if end["timed_out"] else code, end["seconds"]
