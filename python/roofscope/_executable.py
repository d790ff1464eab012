# SPDX-License-Identifier: Apache-2.0
"""Finds and runs the roofscope executable, which does all measuring and analysis."""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

# The executable of an installed wheel or of a source tree's build is found relative to this folder.
_PACKAGE = Path(__file__).resolve().parent


class RoofscopeError(Exception):
    """A request that cannot be met. docs/exit-codes.md lists the values of `exit_code`."""

    def __init__(self, message: str, exit_code: int = 70) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def _is_program(path: Path) -> bool:
    """Whether it is a native program. A script is refused: it might start this package again."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def places_in_path(name: str) -> list[Path]:
    """Candidates for a program in PATH; relative entries are skipped."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return [Path(folder) / name for folder in folders if os.path.isabs(folder)]


@functools.cache
def executable() -> Path:
    """The executable: $ROOFSCOPE_EXECUTABLE, else the wheel's, the source build's or PATH's."""
    chosen = os.environ.get("ROOFSCOPE_EXECUTABLE")
    if chosen:  # an explicit choice is final
        if os.access(chosen, os.X_OK) and Path(chosen).is_file():
            return Path(chosen)
        raise RoofscopeError(f"ROOFSCOPE_EXECUTABLE is {chosen}, which is not a program", 69)
    places = [
        _PACKAGE / "_native/bin/roofscope",
        _PACKAGE.parents[1] / "build/bin/roofscope",
        _PACKAGE.parents[2] / "bin/roofscope",
    ]
    for place in [*places, *places_in_path("roofscope")]:
        if _is_program(place):
            return place
    raise RoofscopeError(
        "the roofscope executable was not found (build it, or set ROOFSCOPE_EXECUTABLE)", 69
    )


def file_argument(path: str | os.PathLike[str]) -> str:
    """A file name as an argument; a leading "-" is not taken for an option."""
    name = os.fspath(path)
    return f"./{name}" if name.startswith("-") else name


def _cannot_start(error: Exception) -> RoofscopeError:
    said = getattr(error, "strerror", None) or str(error)
    return RoofscopeError(f"{executable()} cannot be started: {said}", 69)


def _refuse(code: int, messages: str, expect: tuple[int, ...] = (0,)) -> None:
    if code not in expect:
        lines = messages.strip().splitlines() or [f"ended with {code}"]
        raise RoofscopeError(lines[-1].removeprefix("roofscope: "), code)


def run(
    *arguments: str | os.PathLike[str],
    expect: tuple[int, ...] = (0,),
    timeout: float | None = None,
    cwd: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs the executable and returns its output. RoofscopeError carries its one-line message.

    Pass files as Path: a str is passed on as it is and may be an option. `environment` has
    variables to add.
    """
    words = (a if isinstance(a, str) else file_argument(a) for a in arguments)
    command = [str(executable()), *words]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            cwd=cwd,
            env=None if environment is None else {**os.environ, **environment},
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise RoofscopeError(f"no answer within {timeout:g} s: {arguments[0]}", 75) from late
    except (OSError, ValueError) as error:
        raise _cannot_start(error) from error
    _refuse(done.returncode, done.stderr, expect)
    return done


@contextlib.contextmanager
def output_of(
    *arguments: str | os.PathLike[str], expect: tuple[int, ...] = (0,)
) -> Iterator[BinaryIO]:
    """Yields a file with the output of the executable, positioned at its start."""
    with tempfile.TemporaryFile() as output:
        words = (a if isinstance(a, str) else file_argument(a) for a in arguments)
        try:
            done = subprocess.run(
                [str(executable()), *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
        except (OSError, ValueError) as error:
            raise _cannot_start(error) from error
        _refuse(done.returncode, done.stderr, expect)
        output.seek(0)
        yield output


def run_json(*arguments: str | os.PathLike[str], expect: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Runs the executable with `--format json` and returns the parsed output."""
    done = run(*arguments, "--format", "json", expect=expect)
    try:
        parsed = json.loads(done.stdout)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise RoofscopeError(f"{executable()} {arguments[0]}: printed no JSON")
    return parsed


def run_parsed(
    parse: Callable[[BinaryIO], dict[str, Any]],
    *arguments: str | os.PathLike[str],
    expect: tuple[int, ...] = (0,),
) -> dict[str, Any]:
    """Like run_json(), but `parse` reads the output, which may be large."""
    with output_of(*arguments, "--format", "json", expect=expect) as output:
        try:
            return parse(output)
        except (ValueError, RecursionError) as error:
            raise RoofscopeError(f"{executable()} {arguments[0]}: printed no JSON") from error


def needed(module: str, extra: str) -> Any:
    """A module of an optional package, imported now; RoofscopeError (69) if it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise RoofscopeError(
            f"this needs the package {package} (pip install 'roofscope[{extra}]')", 69
        ) from error


@functools.cache
def version() -> str:
    """The version of the executable, else of the installed package, else "unknown"."""
    try:
        return run("--version").stdout.split()[-1]
    except (RoofscopeError, OSError):
        from importlib import metadata

        try:
            return metadata.version("roofscope")
        except metadata.PackageNotFoundError:
            return "unknown"


def sample() -> Path | None:
    """The sample recording that comes with roofscope, if installed."""
    place = executable().parent.parent / "share/roofscope/sample.roofscope.json.gz"
    return place if place.is_file() else None
