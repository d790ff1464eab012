# SPDX-License-Identifier: Apache-2.0
"""Checks whether a function's speed-up over its baseline is real.

Calls both functions with separate inputs, compares their results, measures a call of each
(roofscope._measure), and passes the facts to `roofscope judge-review`, which decides what is
suspicious. Needs PyTorch: results and inputs are its tensors.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofscope import _executable
from roofscope._arguments import CommandParser
from roofscope._executable import RoofscopeError
from roofscope._measure import MeasureError, Range, measure_calls

CALL_RANGE = "roofscope review"  # the same in analyzer/honesty/review.h
AFTER = 0.02  # seconds to wait for launches by other threads
TIMED_CALLS = 30
# Relative L2 distance to the baseline's result that rounding may cause, by data type.
TOLERANCES = {"float64": 1e-10, "float32": 1e-4, "float16": 1e-2, "bfloat16": 2e-2}

# Functions that a candidate could replace to look faster, by module and attribute.
TIMERS = (
    ("time", "perf_counter"),
    ("time", "perf_counter_ns"),
    ("time", "monotonic"),
    ("time", "time"),
    ("torch.cuda", "synchronize"),
    ("torch.cuda", "Event"),
    ("torch.cuda", "Event.record"),
    ("torch.cuda", "Event.synchronize"),
    ("torch.cuda", "Event.elapsed_time"),
    ("torch.cuda", "Stream.synchronize"),
    ("torch.cuda", "current_stream"),
    ("torch", "allclose"),
    ("torch", "equal"),
    ("torch.testing", "assert_close"),
    ("triton.testing", "do_bench"),
)


def _torch() -> Any:
    """Imports PyTorch, which only reviews need."""
    return importlib.import_module("torch")


def _timers() -> dict[str, Any]:
    """The current functions that tell the time or compare results."""
    found = {}
    for module, attributes in TIMERS:
        thing: Any = sys.modules.get(module)
        for name in attributes.split("."):
            thing = getattr(thing, name, None)
        if thing is not None:
            found[f"{module}.{attributes}"] = thing
    return found


@dataclass(frozen=True)
class Check:
    """One check for something that can make a candidate look faster than it is."""

    id: str
    outcome: str  # "clear", "suspicious" or "cannot-tell"
    title: str
    sentence: str  # the evidence, or what is missing
    innocent: str  # an innocent explanation


@dataclass(frozen=True)
class Review:
    """The result of a review; docs/honesty.md describes the JSON in `data`."""

    data: Mapping[str, Any]
    folder: Path

    @property
    def checks(self) -> list[Check]:
        return [Check(**check) for check in self.data["checks"]]

    @property
    def suspicious(self) -> list[Check]:
        return [check for check in self.checks if check.outcome == "suspicious"]

    @property
    def speedup(self) -> float | None:
        """Kernel time of the baseline divided by that of the candidate, for repeated inputs."""
        value: float | None = self.data["speedup"]
        return value

    @property
    def speedup_empty_l2(self) -> float | None:
        value: float | None = self.data["speedup_empty_l2"]
        return value

    def report(self, format: str = "markdown", lang: str = "en") -> str:
        return _judged(self.folder, "--format", format, "--lang", lang)

    def _repr_markdown_(self) -> str:
        return self.report()

    def __str__(self) -> str:
        return self.report("text")


def _judged(folder: Path, *options: str) -> str:
    done = _executable.run("judge-review", folder, *options, expect=(0, 1))
    return done.stdout


def _tensors(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The tensors in a result or in arguments, each with its path."""
    torch = _torch()

    if isinstance(value, torch.Tensor):
        yield path or "0", value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _tensors(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _tensors(item, f"{path}.{index}" if path else str(index))
    elif isinstance(value, torch.nn.Module):
        for key, item in value.state_dict(keep_vars=True).items():
            yield from _tensors(item, f"{path}.{key}" if path else key)


def _bits(tensor: Any) -> Any:
    """A tensor's values as bytes, so that NaN equals itself and -0 differs from 0."""
    torch = _torch()

    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)


def _same_bits(one: Sequence[Any], other: Sequence[Any]) -> bool:
    torch = _torch()

    return len(one) == len(other) and all(
        a.dtype == b.dtype and a.shape == b.shape and torch.equal(_bits(a), _bits(b))
        for a, b in zip(one, other, strict=True)
    )


def _kept(value: Any) -> list[Any]:
    """Copies of the tensors in a result."""
    return [tensor.detach().clone() for _, tensor in _tensors(value)]


def _stored_bytes(tensors: Sequence[Any]) -> int:
    """Bytes of these tensors; shared or repeated (expanded) storage counts once."""
    storages: dict[int, int] = {}
    for tensor in tensors:
        storage = tensor.untyped_storage()
        used = min(tensor.numel() * tensor.element_size(), storage.nbytes())
        at = storage.data_ptr()
        storages[at] = min(storages.get(at, 0) + used, storage.nbytes())
    return sum(storages.values())


def _distance(actual: Sequence[Any], expected: Sequence[Any]) -> float:
    """The largest relative L2 distance; infinite if shapes or finite elements differ."""
    worst = 0.0
    if len(actual) != len(expected):
        return float("inf")
    for a, b in zip(actual, expected, strict=True):
        if a.shape != b.shape:
            return float("inf")
        x, y = a.double().to(b.device), b.double()
        finite = y.isfinite()
        if not bool((x.isfinite() == finite).all()):
            return float("inf")
        x, y = x[finite], y[finite]
        norm = float(y.norm())
        far = float((x - y).norm())
        worst = max(worst, far / norm if norm > 0 else far)
    return worst


def _tolerance(outputs: Sequence[Any]) -> float:
    names = [str(tensor.dtype).removeprefix("torch.") for tensor in outputs]
    return max((TOLERANCES.get(name, 0.0) for name in names), default=0.0)


class _Poison:
    """Fills the memory that outputs will likely get with a pattern, and counts what remains."""

    BYTE = 0xFF  # NaN as a float, -1 as an integer

    def __init__(self, outputs: Sequence[Any]) -> None:
        self._sizes = [t.numel() * t.element_size() for t in outputs if t.is_cuda and t.numel() > 0]

    def spread(self) -> None:
        torch = _torch()

        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        # Several blocks per size: a function may first allocate that size for something else.
        blocks = [
            torch.full((size,), self.BYTE, dtype=torch.uint8, device="cuda")
            for size in self._sizes
            for _ in range(4)
        ]
        torch.cuda.synchronize()
        del blocks

    def left(self, outputs: Sequence[Any], expected: Sequence[Any]) -> int:
        """Bytes that still hold the pattern where the baseline's result does not."""
        left = 0
        for output, other in zip(outputs, expected, strict=False):
            if not output.is_cuda or output.shape != other.shape or output.dtype != other.dtype:
                continue
            size = output.element_size()
            mine = (_bits(output) == self.BYTE).view(-1, size).all(1)
            theirs = (_bits(other) == self.BYTE).view(-1, size).all(1)
            left += int((mine & ~theirs).sum()) * size
        return left


Function = Callable[..., Any]


class _FactCollector:
    """Collects the facts about the two functions."""

    def __init__(
        self, candidate: Function, baseline: Function, inputs: Callable[[int], Any]
    ) -> None:
        self.candidate, self.baseline, self._inputs = candidate, baseline, inputs
        self.facts: dict[str, Any] = {}

    def arguments(self, seed: int) -> tuple[Any, ...]:
        made = self._inputs(seed)
        return made if isinstance(made, tuple) else (made,)

    def results(self, tolerance: float | None) -> None:
        """Compares the results for two inputs, after filling memory for outputs with a pattern."""
        torch = _torch()

        expected = [_kept(self.baseline(*self.arguments(seed))) for seed in (0, 1)]
        given = self.arguments(0)
        poison = _Poison(expected[0])
        before = _kept(given)
        poison.spread()
        returned = self.candidate(*given)
        torch.cuda.synchronize()
        got = _kept(returned)
        facts = self.facts
        facts["input_bytes"] = _stored_bytes([t for _, t in _tensors(given)])
        facts["output_bytes"] = _stored_bytes([t for _, t in _tensors(returned)])
        facts["unwritten_bytes"] = poison.left(got, expected[0])
        facts["changed_inputs"] = self._changed(given, before)
        given = self.arguments(0)
        before = _kept(given)
        self.baseline(*given)
        facts["baseline_changed_inputs"] = self._changed(given, before)
        other = _kept(self.candidate(*self.arguments(1)))
        facts["same_for_other_inputs"] = _same_bits(got, other)
        facts["baseline_same_for_other_inputs"] = _same_bits(*expected)
        distance = max(_distance(got, expected[0]), _distance(other, expected[1]))
        # JSON has no infinity.
        facts["relative_error"] = distance if distance < 1e300 else 1e300
        facts["tolerance"] = _tolerance(expected[0]) if tolerance is None else tolerance
        facts["kept_old_output"] = self._output_is_stale(self.candidate)
        facts["baseline_kept_old_output"] = self._output_is_stale(self.baseline)

    @staticmethod
    def _changed(given: Any, before: Sequence[Any]) -> list[str]:
        return [
            path
            for (path, now), then in zip(_tensors(given), before, strict=True)
            if not _same_bits([now], [then])
        ]

    def _overwrite(self, given: Any, seed: int) -> None:
        """Copies the values of another seed into these tensors."""
        torch = _torch()

        made = self.arguments(seed)
        with torch.no_grad():
            for (_, target), (_, source) in zip(_tensors(given), _tensors(made), strict=True):
                target.detach().copy_(source.detach())

    def _output_is_stale(self, function: Function) -> bool:
        """Whether the output stays the same after new values in the same tensors."""
        given = self.arguments(0)
        function(*given)
        self._overwrite(given, 0)  # restores what the call changed
        first = _kept(function(*given))
        self._overwrite(given, 1)
        return bool(first) and _same_bits(first, _kept(function(*given)))

    def times(self) -> None:
        """The time of a call by CUDA events, and how long the GPU still works after that."""
        torch = _torch()

        given = self.arguments(0)
        stream = torch.cuda.current_stream()
        event, synchronize = torch.cuda.Event, torch.cuda.synchronize
        apart, late = [], []
        for turn in range(TIMED_CALLS + 3):
            synchronize()
            begin, end = event(enable_timing=True), event(enable_timing=True)
            begin.record(stream)
            self.candidate(*given)
            end.record(stream)
            end.synchronize()
            passed = time.perf_counter()
            synchronize()
            if turn >= 3:
                late.append(time.perf_counter() - passed)
                apart.append(begin.elapsed_time(end) * 1e-3)
        self.facts["event_seconds"] = max(statistics.median(apart), 0.0)
        self.facts["late_seconds"] = statistics.median(late)

    def profiles(self, folder: Path) -> None:
        """Measures calls of both functions."""
        torch = _torch()

        same = self.arguments(0)
        # Include bulk copies (TMA) in the traffic; on a GPU without them the group is dropped.
        moves = ["default", "tma"]

        def steady(function: Function, given: Sequence[Any]) -> Callable[[], None]:
            def call() -> None:
                with Range(CALL_RANGE):
                    function(*given)
                torch.cuda.synchronize()
                time.sleep(AFTER)

            return call

        fresh: list[tuple[Any, ...]] = []
        seeds = iter(range(1000, 2000))

        def renew() -> None:
            fresh[:] = [self.arguments(next(seeds))]
            torch.cuda.synchronize()

        def on_new() -> None:
            with Range(CALL_RANGE):
                self.candidate(*fresh[0])

        own = self.arguments(0)
        self._measure(folder, "baseline", steady(self.baseline, same), [*moves, "tensor"])
        self._measure(folder, "candidate", steady(self.candidate, own), [*moves, "tensor"])
        self._measure(folder, "fresh", on_new, moves, prepare=renew)
        self._measure(folder, "flushed", steady(self.candidate, own), moves, flush=True)
        self._measure(folder, "baseline_flushed", steady(self.baseline, same), moves, flush=True)

    @staticmethod
    def _measure(
        folder: Path, name: str, call: Callable[[], None], groups: list[str], **how: Any
    ) -> None:
        path = folder / f"{name}.roofscope.json.gz"
        said = measure_calls(
            call,
            path,
            name=name,
            warmup=2,
            repeats=3,
            groups=groups,
            may_launch_nothing=True,
            **how,
        )
        for remark in said:
            print(f"roofscope: {name}: {remark}", file=sys.stderr)


def _name(function: Function) -> str:
    return getattr(function, "__qualname__", type(function).__qualname__)


def review(
    candidate: Function,
    baseline: Function,
    inputs: Callable[[int], Any],
    /,
    *,
    tolerance: float | None = None,
    kernel: str = "",
    flops: float | None = None,
    keep: str | os.PathLike[str] | None = None,
    _before: Mapping[str, Any] | None = None,
) -> Review:
    """Compares candidate(*inputs(seed)) with baseline(*inputs(seed)); reports what is suspicious.

    `inputs` makes new arguments for a seed: equal seeds give equal values, and the shapes are
    always the same. `tolerance` is the allowed relative L2 distance of results (by data type if not
    given), `kernel` a part of the name of the kernel whose time is claimed, `flops` the operations
    that a call must do. `keep` is a folder for the profiles of the calls. Both functions are called
    about 70 times in all, and some inputs are overwritten. Raises MeasureError if nothing can be
    measured.
    """
    torch = _torch()

    if not torch.cuda.is_available():
        raise MeasureError("PyTorch sees no GPU", 69)
    if keep is None:
        held = tempfile.TemporaryDirectory(prefix="roofscope-review-")
        folder = Path(held.name)
    else:
        folder = Path(keep)
        folder.mkdir(parents=True, exist_ok=True)
    timers = _timers() if _before is None else _before
    gathering = _FactCollector(candidate, baseline, inputs)
    facts = gathering.facts
    facts |= {"candidate": _name(candidate), "baseline": _name(baseline)}
    facts |= {"kernel": kernel, "flops": flops}
    gathering.results(tolerance)
    gathering.times()
    gathering.profiles(folder)
    now = _timers()
    facts["replaced_timers"] = [name for name, was in timers.items() if now.get(name) is not was]
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    found = Review(json.loads(_judged(folder, "--format", "json")), folder)
    if keep is None:
        weakref.finalize(found, held.cleanup)
    return found


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("roofscope_reviewed", path)
    if spec is None or spec.loader is None:
        raise RoofscopeError(f"{path}: not a Python file", 64)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Triton needs it to find its functions' source
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    return module


def main(arguments: list[str]) -> int:
    """`roofscope review FILE.py`."""
    parser = CommandParser(
        prog="roofscope review",
        description="Says whether a function's speed-up over its baseline is real. FILE.py defines "
        "candidate(*args), baseline(*args), and inputs(seed), which makes their arguments: always "
        "of the same shapes, and the same for the same seed. Runs FILE.py in this process, so "
        "review only code that you would run. Needs PyTorch and a GPU whose counters can be read.",
        epilog="Exit codes: 0 nothing suspicious was found, 1 something should be looked at; "
        "others: docs/exit-codes.md. What is checked: docs/honesty.md. "
        "Example: roofscope review softmax.py --kernel softmax_fast",
    )
    parser.add_argument("file", metavar="FILE.py", type=Path)
    for role in "candidate", "baseline", "inputs":
        parser.add_argument(f"--{role}", default=role, metavar="NAME", help=f"default: {role}")
    parser.add_argument("--kernel", default="", help="a part of the name of the timed kernel")
    parser.add_argument("--tolerance", type=float, help="relative L2 distance of results")
    parser.add_argument("--flops", type=float, help="operations that a call must do")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep profiles and facts there")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--lang", metavar="LANG", default="en", help="as of roofscope report")
    parser.add_argument("--out", "-o", type=Path, metavar="PATH", help="file to write")
    options = parser.parse_args(arguments)
    if not options.file.is_file():
        raise RoofscopeError(f"{options.file}: no such file", 66)
    _executable.run(
        "rules", "list", "--lang", options.lang
    )  # check the language before minutes of work
    if importlib.util.find_spec("torch") is None:
        raise RoofscopeError("a review needs PyTorch (pip install torch)", 69)
    _torch()  # import it before the candidate can change it
    before = _timers()
    module = _load(options.file)
    roles = []
    for role in options.candidate, options.baseline, options.inputs:
        if not callable(function := getattr(module, role, None)):
            raise RoofscopeError(f"{options.file} defines no function {role}", 65)
        roles.append(function)
    found = review(
        *roles,
        tolerance=options.tolerance,
        kernel=options.kernel,
        flops=options.flops,
        keep=options.keep,
        _before=before,
    )
    text = found.report(options.format, options.lang)
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)
    return 1 if found.suspicious else 0
