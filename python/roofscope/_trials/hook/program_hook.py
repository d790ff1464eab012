# SPDX-License-Identifier: Apache-2.0
"""Applies a trial in the tried program, and notes its steps, its memory and what it uses.

`sitecustomize.py` loads this file in each Python that the program starts. Nothing happens until
torch or jax is imported. It must run in any Python from 3.8 on, needs only the standard library,
and never raises into the program: errors are noted in the report.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import importlib.util
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

#: The folder for reports (one file per process) and the trial's file, if any.
FOLDER, TRIAL = "ROOFSCOPE_TRY_REPORTS", "ROOFSCOPE_TRY_TRIAL"
#: Most time stamps that are kept. With more, every second one is dropped.
MOST_STAMPS = 4096
#: With fewer steps, no time per step is reported.
FEWEST_STEPS = 6
#: The second half of the steps is cut into this many stretches.
STRETCHES = 5
#: Most objects of a kind that are looked at.
MOST_SEEN = 64


def time_per_step(stamps: list[float], stride: int) -> tuple[float, float]:
    """Seconds per step and their spread, from the times of each `stride`-th step.

    The steps are cut into five stretches. The result is the median of their mean times per step,
    and the difference between the second largest and the second smallest of these means. Single
    steps would not do: batches of a DataLoader with workers come in bursts.
    """
    import statistics  # only here: most Python processes that the program starts do not need it

    gaps = [(b - a) / stride for a, b in zip(stamps, stamps[1:])]  # noqa: B905, RUF007 (Python 3.8)
    length = max(1, len(gaps) // STRETCHES)
    parts = [gaps[at : at + length] for at in range(0, len(gaps), length)]
    means = sorted(sum(part) / len(part) for part in parts if len(part) == length)
    quarter = len(means) // 4
    return statistics.median(means), means[-1 - quarter] - means[quarter]


class Steps:
    """The times of repeated calls: by the CPU's clock, and by the GPU's if there is one."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.count = 0
        self._stride = 1
        self._clock: list[float] = []
        self._events: list[Any] = []

    def stamp(self, torch: Any) -> None:
        """Notes one call."""
        self.count += 1
        if self.count % self._stride:
            return
        self._clock.append(time.perf_counter())
        self._events.append(self._event(torch))
        if len(self._clock) >= MOST_STAMPS:
            self._clock, self._events = self._clock[1::2], self._events[1::2]
            self._stride *= 2

    @staticmethod
    def _event(torch: Any) -> Any:
        try:
            cuda = torch.cuda
            if not cuda.is_initialized() or cuda.is_current_stream_capturing():
                return None
            event = cuda.Event(enable_timing=True)
            event.record()
            return event
        except Exception:
            return None

    def report(self) -> dict[str, Any] | None:
        """Seconds per step in the second half, and the clock used; None if there are too few."""
        if len(self._clock) < FEWEST_STEPS:
            return None
        half = len(self._clock) // 2
        times, clock = self._clock[half:], "cpu"
        events = self._events[half:]
        try:
            if all(event is not None for event in events):
                events[-1].synchronize()
                times, clock = [events[0].elapsed_time(e) * 1e-3 for e in events], "gpu"
        except Exception:
            pass  # events of several GPUs, or a GPU that has failed
        seconds, spread = time_per_step(times, self._stride)
        return {
            "what": self.what,
            "count": self.count,
            "seconds": seconds,
            "spread": spread,
            "clock": clock,
        }


class Hook:
    """Callbacks and notes for a trial. `torch` is the program's module."""

    def __init__(self, folder: str, trial: Any) -> None:
        self._folder = folder
        self._process = os.getpid()
        self._trial = trial
        self._frameworks: dict[str, Any] = {}
        self._optimizers: dict[int, Any] = {}  # id → (weak reference, Steps, facts)
        self._modules: dict[int, Any] = {}  # id → (weak reference, Steps)
        self._parts: Any = weakref.WeakSet()  # modules that are parts of these
        self._dimensions: set[int] = set()
        self._loaders: list[dict[str, Any]] = []
        self._flags = {"compiled": False, "autocast": False}
        self._first_step: list[Callable[[], None]] = []
        self._new_module: list[Callable[[Any], None]] = []
        self._around: list[Callable[..., Any]] = []
        self._inside = threading.local()
        self.changed = 0  #: how often the trial changed something
        self.problems: list[str] = []

    # For trials.

    def on_first_step(self, call: Callable[[], None]) -> None:
        """Calls this after the first step of an optimizer, or the third call of a module."""
        self._first_step.append(call)

    def on_module(self, call: Callable[[Any], None]) -> None:
        """Calls this with each module that the program calls directly, before its first call."""
        self._new_module.append(call)

    def around_modules(self, call: Callable[..., Any]) -> None:
        """Calls `call(forward, module, args, kwargs)` in place of a directly called module."""
        self._around.append(call)

    def done(self, count: int = 1) -> None:
        """Notes that the trial changed something."""
        self.changed += count

    def problem(self, what: str | Exception) -> None:
        """Notes why the trial could not change something. The first few are kept."""
        if len(self.problems) < 4:
            text = what if isinstance(what, str) else f"{type(what).__name__}: {what}"
            self.problems.append(text[:400])

    # For the hook itself.

    def imported(self, name: str, module: Any) -> None:
        """Called after a framework was imported: starts noting and applies the trial."""
        self._frameworks[name] = module
        if len(self._frameworks) == 1:
            atexit.register(self._at_end)
        if name == "torch":
            for start in (self._note_steps, self._note_calls, self._note_loaders):
                with self._noted():
                    start(module)
        apply = getattr(self._trial, "apply", None)
        if apply is not None and getattr(self._trial, "FRAMEWORK", None) == name:
            with self._noted():
                apply(module, self)
        self._write()

    @contextlib.contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.problem(error)

    def _stepped(self) -> None:
        calls, self._first_step = self._first_step, []
        for call in calls:
            with self._noted():
                call()

    def _note_steps(self, torch: Any) -> None:
        def after(optimizer: Any, args: Any, kwargs: Any) -> None:
            entry = self._optimizers.get(id(optimizer))
            if entry is None or entry[0]() is not optimizer:
                if len(self._optimizers) >= MOST_SEEN:
                    return
                name = type(optimizer).__name__
                group = (getattr(optimizer, "param_groups", None) or [{}])[0]
                facts = {"name": name, "fused": group.get("fused"), "foreach": group.get("foreach")}
                entry = (weakref.ref(optimizer), Steps(name + ".step()"), facts)
                self._optimizers[id(optimizer)] = entry
            entry[1].stamp(torch)
            if self._first_step:
                self._stepped()

        # Import by name: newer versions of torch.optim hide this module.
        optimizers: Any = importlib.import_module("torch.optim.optimizer")
        optimizers.register_optimizer_step_post_hook(after)

    def _note_calls(self, torch: Any) -> None:
        original = torch.nn.Module.__call__
        compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None)
        hook = self
        inside = self._inside

        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
            if (compiling is not None and compiling()) or getattr(inside, "yes", False):
                return original(self, *args, **kwargs)
            inside.yes = True
            try:
                return hook._call(torch, original, self, args, kwargs)
            finally:
                inside.yes = False

        torch.nn.Module.__call__ = __call__

    def _call(self, torch: Any, original: Any, module: Any, args: Any, kwargs: Any) -> Any:
        """Handles a call of a module by the program itself, not by another module."""
        entry = self._modules.get(id(module))
        if entry is None or entry[0]() is not module:
            entry = self._seen(torch, module)
        if entry is None:
            return original(module, *args, **kwargs)
        forward = original
        for around in self._around:
            forward = _bound(around, forward)
        result = forward(module, *args, **kwargs)
        steps = entry[1]
        steps.stamp(torch)
        if self._first_step and steps.count >= 3 and not self._optimizers:
            self._stepped()
        return result

    def _seen(self, torch: Any, module: Any) -> Any:
        """Adds an entry for a new module; None if it has no parameters or is a part of another."""
        if len(self._modules) >= MOST_SEEN or module in self._parts:
            return None
        with self._noted():
            if next(module.parameters(), None) is None:
                return None
            parts = list(module.modules())
            self._parts.update(parts)
            convolutions = torch.nn.modules.conv._ConvNd
            for part in parts:
                if isinstance(part, convolutions):
                    self._dimensions.add(len(part.kernel_size))
                if type(part).__name__ == "OptimizedModule" or getattr(
                    part, "_compiled_call_impl", None
                ):
                    self._flags["compiled"] = True
            with contextlib.suppress(Exception):
                self._flags["autocast"] |= bool(torch.is_autocast_enabled())
        entry = (weakref.ref(module), Steps(type(module).__name__ + "()"))
        self._modules[id(module)] = entry
        for call in self._new_module:
            with self._noted():
                call(module)
        return entry

    def _note_loaders(self, torch: Any) -> None:
        data = torch.utils.data
        original = data.DataLoader.__init__
        hook = self

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            with hook._noted():
                if len(hook._loaders) < MOST_SEEN:
                    hook._loaders.append(
                        {
                            "workers": self.num_workers,
                            "pinned": bool(self.pin_memory),
                            "iterable": isinstance(self.dataset, data.IterableDataset),
                        }
                    )

        __init__.__wrapped__ = original  # type: ignore[attr-defined] # for inspect.signature
        data.DataLoader.__init__ = __init__

    # The report.

    def _facts_of_torch(self, torch: Any) -> dict[str, Any]:
        facts = {
            "version": str(getattr(torch, "__version__", "")),
            "cuda": torch.cuda.is_initialized(),
            "convolutions": sorted(self._dimensions),
            "modules": len(self._modules),
            "optimizers": [entry[2] for entry in self._optimizers.values()],
            "loaders": self._loaders,
            **self._flags,
        }
        with contextlib.suppress(Exception):
            facts["matmul_precision"] = torch.get_float32_matmul_precision()
        with contextlib.suppress(Exception):
            facts["cudnn_benchmark"] = bool(torch.backends.cudnn.benchmark)
        return facts

    def _peak_bytes(self) -> int | None:
        """The most bytes that were allocated on a GPU; None if unknown."""
        torch, jax = self._frameworks.get("torch"), self._frameworks.get("jax")
        peaks = []
        with contextlib.suppress(Exception):
            if torch is not None and torch.cuda.is_initialized():
                devices = range(torch.cuda.device_count())
                peaks += [torch.cuda.max_memory_allocated(device) for device in devices]
        with contextlib.suppress(Exception):
            # Do not ask jax for its devices: that would initialise it.
            bridge = sys.modules.get("jax._src.xla_bridge")
            if jax is not None and bridge is not None and bridge.backends_are_initialized():
                for device in jax.local_devices():
                    peaks.append((device.memory_stats() or {})["peak_bytes_in_use"])
        return max((peak for peak in peaks if peak), default=None)

    def _steps(self) -> dict[str, Any] | None:
        """The steps of the optimizer, else of the module, that was called most often."""
        for entries in (self._optimizers, self._modules):
            steps = max((e[1] for e in entries.values()), key=lambda s: s.count, default=None)
            if steps is not None:
                report: dict[str, Any] | None = steps.report()
                if report is not None:
                    return report
        return None

    def _at_end(self) -> None:
        if os.getpid() != self._process:
            return  # a forked child
        with self._noted():
            torch = self._frameworks.get("torch")
            if torch is not None and torch.cuda.is_initialized():
                torch.cuda.synchronize()
        lasts = getattr(self._trial, "lasts", None)
        lasting = None
        if lasts is not None and self._trial.FRAMEWORK in self._frameworks:
            with self._noted():
                lasting = bool(lasts(self._frameworks[self._trial.FRAMEWORK]))
        self._write(ended=True, lasting=lasting)

    def _write(self, ended: bool = False, lasting: bool | None = None) -> None:
        import json

        report: dict[str, Any] = {
            "ended": ended,
            "frameworks": sorted(self._frameworks),
            "changed": self.changed,
            "lasting": lasting,
            "problems": self.problems,
        }
        if ended:
            with self._noted():
                if "torch" in self._frameworks:
                    report["torch"] = self._facts_of_torch(self._frameworks["torch"])
                report["steps"] = self._steps()
                report["peak_bytes"] = self._peak_bytes()
        path = os.path.join(self._folder, f"{self._process}.json")
        with contextlib.suppress(Exception), open(path, "w", encoding="utf-8") as file:
            json.dump(report, file)


def _bound(around: Any, forward: Any) -> Any:
    def call(module: Any, *args: Any, **kwargs: Any) -> Any:
        return around(forward, module, args, kwargs)

    return call


class Finder:
    """Finds modules like the other finders, and calls the hook after a framework was imported."""

    def __init__(self, hook: Hook, names: tuple[str, ...]) -> None:
        self._hook = hook
        self._names = set(names)
        self._looking = threading.local()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Called by the import system; returns None for all but the frameworks."""
        if name not in self._names or getattr(self._looking, "yes", False):
            return None
        self._looking.yes = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking.yes = False
        if spec is None or spec.loader is None:
            return spec
        loader: Any = spec.loader
        original = loader.exec_module

        def exec_module(module: Any) -> None:
            with contextlib.suppress(AttributeError):
                del loader.exec_module  # restore the loader
            original(module)
            self._names.discard(name)
            self._hook.imported(name, module)

        loader.exec_module = exec_module
        return spec


def start(here: str) -> None:
    """Starts the hook for the program of this process. `here` is the folder of the copies."""
    reports = os.environ.get(FOLDER)
    if not reports or not os.path.isdir(reports):
        return
    trial = None
    name = os.environ.get(TRIAL)
    if name:
        path = os.path.join(here, f"trial_{os.path.basename(name)}.py")
        spec: Any = importlib.util.spec_from_file_location("_roofscope_trial", path)
        trial = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(trial)
    hook = Hook(reports, trial)
    sys.meta_path.insert(0, Finder(hook, ("torch", "jax")))
