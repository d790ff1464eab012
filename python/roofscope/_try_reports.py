# SPDX-License-Identifier: Apache-2.0
"""Reads what the hook in the tried program's processes reports (`_trials/hook/program_hook.py`).

The program can write into that folder, too. So reading never waits, files have a size limit, and
a file that does not have the form of a report is ignored."""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: Larger files are ignored, and so are further files beyond this many.
_MOST_BYTES, _MOST_REPORTS = 1 << 20, 1000
_FRAMEWORKS = ("torch", "jax")


def _is_number(value: Any, least: float) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= least
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53


def _are(kind: type | tuple[type, ...]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(one, kind) for one in value)


def _is_steps(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and isinstance(value.get("what"), str)
        and value.get("clock") in ("cpu", "gpu")
        and _is_count(value.get("count"))
        and _is_number(value.get("seconds"), 1e-12)
        and _is_number(value.get("spread"), 0)
    )


def _is_simple(value: Any) -> bool:
    return isinstance(value, str | bool | int | None)


def _each_has(*keys: str) -> Callable[[Any], bool]:
    return lambda value: (
        _are(dict)(value)
        and all(
            all(key in one for key in keys) and all(map(_is_simple, one.values())) for one in value
        )
    )


#: Checks for what a process used of PyTorch; keys that are not listed are simple values.
_FACTS: dict[str, Callable[[Any], bool]] = {
    "modules": _is_count,
    "convolutions": _are(int),
    "optimizers": _each_has("name", "fused", "foreach"),
    "loaders": _each_has("workers", "pinned"),
}


def _is_facts(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _FACTS.get(key, _is_simple)(one) for key, one in value.items()
    )


_REPORT: dict[str, Callable[[Any], bool]] = {
    "ended": lambda value: isinstance(value, bool),
    "frameworks": lambda value: _are(str)(value) and set(value) <= set(_FRAMEWORKS),
    "changed": _is_count,
    "lasting": lambda value: isinstance(value, bool | None),
    "problems": _are(str),
    "torch": _is_facts,
    "steps": _is_steps,
    "peak_bytes": lambda value: value is None or _is_number(value, 0),
}


def _is_report(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "frameworks" in value
        and all(key in _REPORT and _REPORT[key](one) for key, one in value.items())
    )


def _text(folder: Path, name: str) -> str | None:
    """The content of the file; None if it is not a regular file of a report's size."""
    # Opening a pipe could block, and a link may lead anywhere.
    file = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(file, "rb") as opened:
        there = os.fstat(opened.fileno())
        if not stat.S_ISREG(there.st_mode) or there.st_size > _MOST_BYTES:
            return None
        return opened.read(_MOST_BYTES).decode("utf-8")


def read(folder: Path) -> Iterator[dict[str, Any]]:
    """The valid reports of the program's processes."""
    names = []
    with contextlib.suppress(OSError):
        names = sorted(path.name for path in folder.iterdir() if path.suffix == ".json")
    for name in names[:_MOST_REPORTS]:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            text = _text(folder, name)
            report: Any = None if text is None else json.loads(text)
            if _is_report(report):
                yield report
