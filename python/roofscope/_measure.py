# SPDX-License-Identifier: Apache-2.0
"""Measures a function in this process.

`roofscope measure` (the executable) decides what each call measures and builds the profile from all
calls; libroofscope_inject.so records one call. This module calls the function.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import subprocess
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ParamSpec

from roofscope import _executable
from roofscope._executable import RoofscopeError
from roofscope._own_folder import OwnFolder
from roofscope._profile import Profile

P = ParamSpec("P")
_NVTX = "NVTX_INJECTION64_PATH"
_NO_PERMISSION = 77  # docs/exit-codes.md


class MeasureError(RoofscopeError):
    """The request cannot be measured in this process; the message says what to do."""


class MeasureWarning(UserWarning):
    """Part of a measurement is missing; the profile says the same."""


def _place() -> Path:
    chosen = os.environ.get("ROOFSCOPE_INJECT")
    return Path(chosen or _executable.executable().parent.parent / "lib/libroofscope_inject.so")


@functools.cache
def _library(path: Path) -> ctypes.CDLL:
    """Loads the library and declares the functions of collector/inject/library/measure.h."""
    try:
        library = ctypes.CDLL(str(path))
        for name, arguments, result in (
            ("prepare", [], ctypes.c_char_p),
            ("cupti", [], ctypes.c_char_p),
            ("wait", [], None),
            ("start", [ctypes.c_char_p], ctypes.c_char_p),
            ("stop", [], None),
            ("push_range", [ctypes.c_char_p], None),
            ("pop_range", [], None),
        ):
            function = getattr(library, f"roofscope_measure_{name}")
            function.argtypes, function.restype = arguments, result
    except (OSError, AttributeError) as error:
        raise MeasureError(
            f"libroofscope_inject.so cannot be used: {error} (reinstall roofscope)", 69
        ) from error
    return library


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "replace")


def _prepared() -> ctypes.CDLL:
    """The library; MeasureError if this process cannot be measured."""
    library = _library(_place())
    why = _text(library.roofscope_measure_prepare())
    if why:
        raise MeasureError(f"{why} ({_remedy(why)})", 69)
    return library


def _remedy(why: str = "") -> str:
    """The first failed check of `roofscope doctor`, with those remedies that `why` lacks."""
    with contextlib.suppress(RoofscopeError, ValueError, KeyError):
        done = _executable.run("doctor", "--json", expect=tuple(range(256)), timeout=60)
        for check in json.loads(done.stdout)["checks"]:
            if check["status"] == "failed":
                detail = "" if check["detail"] == why else f": {check['detail']}"
                said = [check["title"] + detail, check["advice"], *check["commands"]]
                return "roofscope doctor: " + "; ".join(part for part in said if part)
    return 'run "roofscope doctor"'


@contextlib.contextmanager
def _nvtx_visible() -> Iterator[None]:
    """Makes libraries that first use NVTX inside report their ranges to CUPTI."""
    if _NVTX in os.environ:
        yield
        return
    os.environ[_NVTX] = str(_place())
    try:
        yield
    finally:
        os.environ.pop(_NVTX, None)


class _Helper:
    """The process `roofscope measure`: it requests calls one by one, then writes the profile."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str]) -> None:
        self._said: list[str] = []
        # In its own session, so that Ctrl-C reaches only the function; closing its input ends it.
        self._process = subprocess.Popen(
            [str(_executable.executable()), "measure", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            env=os.environ | environment,
        )
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._said.append(line.strip().removeprefix("roofscope: "))

    def calls(self) -> Iterator[Path]:
        """Yields one folder per requested call."""
        assert self._process.stdout
        for line in self._process.stdout:
            word, _, folder = line.rstrip("\n").partition(" ")
            if word == "call":
                yield Path(folder)

    def answer(self, text: str) -> None:
        """Reports how the call ended."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(" ".join(text.split()) + "\n")
            self._process.stdin.flush()

    def finish(self) -> list[str]:
        """Waits for its end and returns its remarks; MeasureError if it failed."""
        code = self._process.wait()
        self._reader.join()
        if code == 0:
            return self._said
        why = (self._said or [f"roofscope measure ended with {code}"])[-1]
        if code == _NO_PERMISSION:
            why += f"; {_remedy()}"
        raise MeasureError(why, code if code > 0 else 70)

    def close(self) -> None:
        """Ends the process if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _name_of(fn: Callable[..., Any]) -> str:
    inner = fn.func if isinstance(fn, functools.partial) else fn
    name = getattr(inner, "__qualname__", type(inner).__qualname__)
    return f"{getattr(inner, '__module__', None) or '?'}.{name}"


def _record(
    library: ctypes.CDLL,
    helper: _Helper,
    call: Callable[[], object],
    prepare: Callable[[], object] | None = None,
) -> list[str]:
    """Calls the function as often as needed, with `prepare` before each call."""
    for folder in helper.calls():
        if prepare:
            prepare()
        why = _text(library.roofscope_measure_start(os.fsencode(folder)))
        if why:
            helper.answer(f"failed {why}")
            continue
        try:
            begun = time.perf_counter()
            call()
            library.roofscope_measure_wait()
            seconds = time.perf_counter() - begun
        finally:
            library.roofscope_measure_stop()
        helper.answer(f"done {seconds:.9f}")
    return helper.finish()


def measure(
    fn: Callable[..., Any],
    /,
    *args: Any,
    warmup: int = 1,
    repeats: int = 3,
    groups: Sequence[str] = ("default",),
    out: str | os.PathLike[str] | None = None,
    **kwargs: Any,
) -> Profile:
    """Calls fn(*args, **kwargs) several times in this process and returns its profile.

    First come `warmup` calls that are not measured, then `repeats` calls without counters, whose
    medians are the durations, plus one if kernels must be timed one by one. Then comes one call
    for each pass of counters: two for the `default` group. `groups=()` reads no counters. The
    profile is a temporary file, or `out`. The function must launch the same kernels each time; its
    side effects happen with each call. Raises MeasureError if this cannot be measured.
    """
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup must be 0 or more, and repeats 1 or more")
    if isinstance(groups, str):
        groups = groups.split(",")
    if out is None:
        folder = OwnFolder()
        profile = Profile(folder.path / "measured.roofscope.json.gz")
        weakref.finalize(profile, folder.remove)
    else:
        profile = Profile(out)
    call = functools.partial(fn, *args, **kwargs)
    said = measure_calls(
        call, profile.path, name=_name_of(fn), warmup=warmup, repeats=repeats, groups=groups
    )
    for remark in said:
        warnings.warn(remark, MeasureWarning, stacklevel=2)
    return profile


def measure_calls(
    call: Callable[[], object],
    out: Path,
    *,
    name: str,
    warmup: int,
    repeats: int,
    groups: Sequence[str],
    prepare: Callable[[], object] | None = None,
    flush: bool = False,
    may_launch_nothing: bool = False,
) -> list[str]:
    """Measures call() into the profile `out`; returns the remarks of the executable.

    `prepare` runs before each call and is not measured. `flush` empties the L2 before each launch.
    A call that launches no kernel is an error unless `may_launch_nothing`.
    """
    library = _prepared()
    arguments = [
        "--out",
        _executable.file_argument(out),
        "--name",
        name,
        "--timing-repeats",
        str(repeats),
    ]
    arguments += ["--groups", ",".join(groups)] if groups else ["--timing-only"]
    arguments += ["--cache-control", "flush"] if flush else []
    arguments += ["--may-launch-nothing"] if may_launch_nothing else []
    # Plan the counters with the same libcupti that reads them.
    environment = {"ROOFSCOPE_CUPTI": _text(library.roofscope_measure_cupti())}
    with _nvtx_visible():
        for _ in range(warmup):
            if prepare:
                prepare()
            call()
        helper = _Helper(arguments, environment)
        try:
            return _record(library, helper, call, prepare)
        finally:
            helper.close()


def measured(
    warmup: int = 1,
    repeats: int = 3,
    groups: Sequence[str] = ("default",),
    out: str | os.PathLike[str] | None = None,
) -> Callable[[Callable[P, Any]], Callable[P, Profile]]:
    """Decorator: calling the function measures it and returns the profile.

    >>> @roofscope.measured(repeats=5)
    ... def step(x): ...
    >>> step(x).kernels[0].duration.median
    """

    def wrap(fn: Callable[P, Any]) -> Callable[P, Profile]:
        @functools.wraps(fn)
        def call(*args: P.args, **kwargs: P.kwargs) -> Profile:
            bound = functools.partial(fn, *args, **kwargs)
            return measure(bound, warmup=warmup, repeats=repeats, groups=groups, out=out)

        return call

    return wrap


def _recorder() -> ctypes.CDLL | None:
    """The library if this process may be under `measure` or `roofscope record`, else None."""
    with contextlib.suppress(MeasureError):
        if "ROOFSCOPE_SPOOL_DIR" in os.environ and "CUDA_INJECTION64_PATH" in os.environ:
            return _library(Path(os.environ["CUDA_INJECTION64_PATH"]))
        if _library.cache_info().currsize:
            return _library(_place())
    return None


class Range(contextlib.ContextDecorator):
    """Puts launches into an NVTX range: `with roofscope.range("decode"):` or `@roofscope.range(…)`.

    Works for launches under `measure` and in a script under `roofscope record`; does nothing
    otherwise.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._libraries: list[ctypes.CDLL | None] = []

    def __enter__(self) -> Range:
        library = _recorder()
        self._libraries.append(library)
        if library:
            library.roofscope_measure_push_range(self.name.encode())
        return self

    def __exit__(self, *raised: object) -> None:
        library = self._libraries.pop()
        if library:
            library.roofscope_measure_pop_range()
