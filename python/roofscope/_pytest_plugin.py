# SPDX-License-Identifier: Apache-2.0
"""`@pytest.mark.roofscope(…)`: limits the GPU work of a test.

A marked test that passes runs once more, alone, in a process under `roofscope record`. Its profile
is checked against the limits, and a broken limit fails the test. Without counters it is skipped.
"""

from __future__ import annotations

import difflib
import fnmatch
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from roofscope import _executable, _packets
from roofscope._profile import Profile
from roofscope._records import Kernel

_INSIDE = "ROOFSCOPE_PYTEST_INSIDE"
#: Limits in the mark, each with the report's quantity and whether to sum it over launches.
_LIMITS = {
    "max_dram_bytes": ("dram_bytes", True),
    "max_l2_bytes": ("l2_bytes", True),
    "max_bank_conflicts": ("shared_wavefronts", False),
    "max_local_bytes": ("local_bytes", True),
}
_OTHERS = ("baseline", "kernel", "profile", "timeout")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "roofscope(max_dram_bytes=…, max_l2_bytes=…, max_local_bytes=…, max_bank_conflicts=…, "
        "baseline=FILE, kernel=GLOB, profile=FILE, timeout=SECONDS): limit the test's GPU work",
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option --roofscope-update."""
    parser.getgroup("roofscope").addoption(
        "--roofscope-update",
        action="store_true",
        help="write the baselines of roofscope marks instead of judging by them",
    )


def _bad(sentence: str) -> NoReturn:
    pytest.fail(f"roofscope mark: {sentence}", pytrace=False)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _checked(mark: pytest.Mark) -> dict[str, Any]:
    """What the mark asks for; fails the test with one sentence if the mark is invalid."""
    if mark.args:
        _bad(f"positional values: not known (use names: {', '.join([*_LIMITS, *_OTHERS])})")
    for name, value in mark.kwargs.items():
        if name in _LIMITS or name == "timeout":
            if not _is_number(value):
                _bad(f"{name} is {value!r}: give a number, 0 or more")
        elif name not in _OTHERS:
            near = difflib.get_close_matches(name, [*_LIMITS, *_OTHERS], 1)
            hint = f"did you mean {near[0]}?" if near else f"use {', '.join([*_LIMITS, *_OTHERS])}"
            _bad(f"{name}: not known ({hint})")
        elif not isinstance(value, str | os.PathLike):
            _bad(f"{name} is {value!r}: give a {'glob' if name == 'kernel' else 'file name'}")
    if not any(name in _LIMITS or name == "baseline" for name in mark.kwargs):
        _bad("nothing to judge: give a limit or baseline=FILE")
    return dict(mark.kwargs)


def _why_not() -> str | None:
    """Why counters cannot be read here, from `roofscope doctor`; None if they can."""
    try:
        done = _executable.run("doctor", expect=tuple(range(256)), timeout=60)
    except _executable.RoofscopeError as error:
        return _packets.plain(str(error), 300)
    if done.returncode == 0:
        return None
    # Columns: "failed", the name of the check, what is wrong.
    found = re.search(r"^failed\s+(\S+(?: \S+)*)", done.stdout, re.M)
    what = f'failed check "{_packets.plain(found[1], 60)}"' if found else "no counters here"
    return f"{what}; `roofscope doctor` says what to do"


def _record(item: pytest.Item, out: Path, timeout: float) -> Profile:
    environment = dict(os.environ, **{_INSIDE: "1"})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", item.nodeid]
    import subprocess

    # Quick is enough: the limits only use counters from the first runs.
    options = ["-q", "--effort", "quick", "--out", str(out)]
    try:
        done = subprocess.run(
            [str(_executable.executable()), "record", *options, "--", *command],
            cwd=item.config.rootpath,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise pytest.fail.Exception(
            f"roofscope record did not end within {timeout:g} s (timeout=SECONDS in the mark)",
            pytrace=False,
        ) from None
    if not out.is_file() or done.returncode not in (0, 90):
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        pytest.fail(f"roofscope record ended with {done.returncode}:\n{tail}", pytrace=False)
    return Profile(out)


def _conflicts(kernel: Kernel) -> float | None:
    """Excess shared-memory wavefronts, an upper bound on replays by bank conflicts."""
    q = kernel.quantities
    share, waves = q.get("shared_excess_certain_ratio"), q.get("shared_wavefronts")
    if waves == 0:
        return 0.0
    return None if share is None or waves is None else share * waves


def broken_limits(kernels: list[Kernel], limits: dict[str, Any]) -> list[str]:
    """One line per limit that is broken or cannot be checked; a missing value never passes."""
    said = []
    for name, limit in limits.items():
        if name not in _LIMITS:
            continue
        quantity, summed = _LIMITS[name]
        values: list[float] = []
        for kernel in kernels:
            value = (
                _conflicts(kernel)
                if name == "max_bank_conflicts"
                else kernel.quantities.get(quantity)
            )
            if value is None:
                why = kernel.missing.get(quantity, "not recorded")
                said.append(f"{name}: {kernel.name} has no {quantity}: {why}")
                continue
            values.append(value * (kernel.launches if summed else 1))
            if not summed and value > limit:
                said.append(
                    f"{name}: {kernel.name} has {value:,.0f} per launch, allowed {limit:,.0f}"
                )
        if summed and values and sum(values) > limit:
            said.append(f"{name}: {sum(values):,.0f} in all, allowed {limit:,.0f}")
        if not kernels:
            said.append(f"{name}: no kernel was measured")
    return said


def _gate(item: pytest.Item, profile: Profile, baseline: Path) -> list[str]:
    if item.config.getoption("--roofscope-update"):
        _executable.run("gate", profile.path, "--baseline", baseline, "--update")
        return []
    if not baseline.exists():
        return [f"{baseline}: no such baseline (pytest --roofscope-update writes it)"]
    done = _executable.run(
        "gate", profile.path, "--baseline", baseline, "--format", "json", expect=(0, 1, 2)
    )
    if done.returncode == 0:
        return []
    words = _executable.run("gate", profile.path, "--baseline", baseline, expect=(1, 2)).stdout
    return [json.loads(done.stdout)["summary"], words.strip()]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Runs the test; if it passes and has the marker, judges its GPU work."""
    outcome = yield
    mark = item.get_closest_marker("roofscope")
    if mark is None or os.environ.get(_INSIDE) or outcome.excinfo is not None:  # type: ignore[attr-defined]
        return
    try:
        try:
            _judge(item, _checked(mark))
        except _executable.RoofscopeError as error:
            said = f"roofscope: {_packets.plain(str(error), 1000)}"
            raise pytest.fail.Exception(said, pytrace=False) from None
    except BaseException as raised:
        outcome.force_exception(raised)  # type: ignore[attr-defined]


def _judge(item: pytest.Item, wanted: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory(prefix="roofscope-") as folder:
        if "profile" in wanted:  # an existing recording: needs no GPU
            profile = Profile(item.config.rootpath / wanted["profile"])
        else:
            why = _why_not()
            if why:
                # Report the line of the test, not of this file, as skipif does.
                raise pytest.skip.Exception(f"roofscope: {why}", _use_item_location=True)
            out = Path(folder) / "test.roofscope.json.gz"
            profile = _record(item, out, float(wanted.get("timeout", 600)))
        pattern = wanted.get("kernel")
        kernels = [
            k
            for k in profile.kernels
            if pattern is None
            or any(fnmatch.fnmatch(n, pattern) for n in (k.name, k.full_name, k.range or ""))
        ]
        said = broken_limits(kernels, wanted)
        if "baseline" in wanted:
            said += _gate(item, profile, item.config.rootpath / wanted["baseline"])
        if said:
            pytest.fail("\n".join(said), pytrace=False)
