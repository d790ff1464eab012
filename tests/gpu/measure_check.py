#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares roofscope.measure on a GPU with `roofscope record` of the same functions.

    ROOFSCOPE_BIN=FOLDER PYTHONPATH=python tests/gpu/measure_check.py

FOLDER has bin/roofscope and lib/libroofscope_inject.so (or both files themselves). Measures a
PyTorch function, a Triton kernel and a CuPy kernel, as far as installed, several times in a row.
Results must be bitwise those of an unmeasured call, exact counters must equal those of `record`,
and durations of kernels of 10 µs or more must be within 3 %. torch.profiler must still work
afterwards. Prints a table and what failed. Exits with 1 on a failure, with 77 without a GPU.

Both sides have the same conditions, so that only the way of measuring differs:
- the GPU is idle for 20 ms before each call (the first microsecond after a pause is slower, and
  `measure` pauses between calls anyway);
- turns alternate, so that both see the same drift of clocks and temperature in the minute that this
  takes; each turn has new arrays (their place in memory makes a difference of a percent or two);
- medians are of 45 calls, not of 5 (`measure` writes the median of a turn's calls).
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from pathlib import Path
from statistics import median

TURNS = 3  # `record`, then `measure`, then `record`, …
CALLS = 15  # of each function per turn
PAUSE = 0.02  # seconds before each call
SHORT = 10e-6  # below, the clock's resolution shows in durations
TOLERANCE = 0.03


def use_binaries():
    folder = os.environ.get("ROOFSCOPE_BIN")
    if not folder:
        return
    for where, variable, name in (
        ("bin", "ROOFSCOPE_EXECUTABLE", "roofscope"),
        ("lib", "ROOFSCOPE_INJECT", "libroofscope_inject.so"),
    ):
        places = [Path(folder) / where / name, Path(folder) / name]
        os.environ[variable] = str(next(p for p in places if p.is_file()).resolve())


use_binaries()
try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)

N = 1 << 24
failures = []


def functions():
    """Name → (function, function that returns its result as bytes)."""
    torch.manual_seed(0)
    a = torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16)
    x = torch.randn(N, device="cuda")
    y = torch.randn(N, device="cuda")
    out = torch.zeros_like(x)
    held = {}

    def torch_step():
        h = torch.nn.functional.gelu(x) * y
        held["torch"] = torch.softmax(h.view(4096, -1), dim=1) + (a @ a).float().sum()

    found = {"torch": (torch_step, lambda: held["torch"])}
    try:
        import triton
        import triton.language as tl

        @triton.jit
        def triton_axpy(x, y, out, n, block: tl.constexpr):
            offsets = tl.program_id(0) * block + tl.arange(0, block)
            mask = offsets < n
            tl.store(
                out + offsets, 2 * tl.load(x + offsets, mask) + tl.load(y + offsets, mask), mask
            )

        # A jitted function's source refers to globals.
        globals()["tl"] = tl
        found["triton"] = (
            lambda: triton_axpy[(triton.cdiv(N, 1024),)](x, y, out, N, block=1024),
            lambda: out,
        )
    except ImportError as error:
        print(f"without Triton: {error}")
    try:
        import cupy

        kernel = cupy.ElementwiseKernel(
            "float32 x, float32 y", "float32 z", "z = x * y + sqrtf(fabsf(x))", "cupy_fused"
        )
        cx = cupy.linspace(-1, 1, N, dtype=cupy.float32)
        cy = cupy.linspace(2, 3, N, dtype=cupy.float32)
        cz = cupy.zeros(N, dtype=cupy.float32)
        found["cupy"] = (lambda: kernel(cx, cy, cz), lambda: cz)
    except ImportError as error:
        print(f"without CuPy: {error}")
    return found


def after_a_pause(function):
    def call():
        time.sleep(PAUSE)
        function()

    return call


def as_bytes(result):
    torch.cuda.synchronize()
    array = result.cpu().numpy() if isinstance(result, torch.Tensor) else result.get()
    return array.tobytes()


def run_for_record():
    """What `record` measures: the same functions, between cudaProfilerStart and Stop."""
    found = functions()
    for function, _ in found.values():
        function()
    torch.cuda.synchronize()
    for function, _ in found.values():
        torch.cuda.cudart().cudaProfilerStart()
        for _ in range(CALLS):
            after_a_pause(function)()
            torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()


def launches(path):
    """(kernel, shape) → {"duration_s": […], counter: […]}."""
    p = json.loads(gzip.decompress(path.read_bytes()))
    n = p["launches"]["count"]

    def column(c):
        if not isinstance(c, dict):
            return c
        if "all" in c:
            return [c["all"]] * n
        by_row = dict(zip(c["rows"], c["values"], strict=True))
        return [by_row.get(row) for row in range(n)]

    shape = [column(p["launches"][f"{k}_{d}"]) for k in ("grid", "block") for d in "xyz"]
    kernels = column(p["launches"]["kernel"])
    durations = column(p["launches"]["duration_ns"])
    counters = {name: column(c) for name, c in p["counters"].items()}
    found = defaultdict(lambda: defaultdict(list))
    for i in range(n):
        of = found[p["kernels"][kernels[i]]["name"], tuple(s[i] for s in shape)]
        if durations[i] is not None:
            of["duration_s"].append(durations[i] * 1e-9)
        for name, values in counters.items():
            if i < len(values) and values[i] is not None:
                of[name].append(values[i])
    return found, p


def short(name):
    """The bare name of a function, without namespaces, template arguments and types."""
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", name)
    return re.sub(r"[<(].*", "", name).split()[-1].split("::")[-1][:40]


def check(ok, text):
    if not ok:
        failures.append(text)
    return ok


def recorded(folder):
    out = folder / "recorded.roofscope.json.gz"
    command = [os.environ.get("ROOFSCOPE_EXECUTABLE") or "roofscope", "record", "--effort", "quick"]
    command += ["--profile-from-start", "off", "--per-kernel", "all", "--call-sites", "off"]
    command += ["--out", str(out), "--", sys.executable, __file__, "--run"]
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"record: {time.perf_counter() - begun:.1f} s, exit {done.returncode}")
    if not check(
        done.returncode == 0, f"record ended with {done.returncode}: {done.stderr[-500:]}"
    ):
        print(done.stderr[-2000:])
    return launches(out)


def compare(label, profile, theirs):
    """Checks that each kernel of `profile` has the counters that `record` read for it. Returns both
    sides' durations by kernel."""
    ours, raw = launches(profile.path)
    check(ours, f"{label}: no launches")
    issues = [i["code"] for i in raw.get("issues", ()) if i["severity"] != "info"]
    check(not issues, f"{label}: {issues}")
    durations = {}
    for key, mine in ours.items():
        name = short(key[0])
        if not check(key in theirs, f"{label}: record has no {name} {key[1]}"):
            continue
        other = theirs[key]
        equal = unequal = varying = 0
        for counter, values in mine.items():
            if counter == "duration_s" or "__sass_" not in counter:
                continue
            if len(set(other[counter])) != 1 or len(set(values)) != 1:
                varying += 1
            elif values[0] == other[counter][0]:
                equal += 1
            else:
                unequal += 1
                check(False, f"{label}: {name}: {counter} {values[0]} here, {other[counter][0]}")
        check(equal, f"{label}: {name}: no exact counter to compare")
        missing = sorted(set(other) - set(mine))
        check(not missing, f"{label}: {name}: without {missing[:3]} ({len(missing)})")
        print(f"{label:9} {name:40} {equal:4} equal {unequal:3} not {varying:3} vary")
        durations[key] = (mine["duration_s"], other["duration_s"])
    return durations


def compare_durations(label, of_turns):
    """Compares medians over all turns. `of_turns`: kernel → [(here, with `record`) per turn]."""
    for (name, _), turns in of_turns.items():
        here, there = ([s for turn in turns for s in turn[side]] for side in (0, 1))
        if not check(here and there, f"{label}: {short(name)}: not timed on both sides"):
            continue
        apart = median(here) / median(there) - 1
        if median(there) >= SHORT:
            check(abs(apart) <= TOLERANCE, f"{label}: {short(name)}: duration {apart:+.1%}")
        each = " ".join(
            f"{median(a) / median(b) - 1:+.1%}" if a and b else "none" for a, b in turns
        )
        print(
            f"{label:9} {short(name):40} {median(here) * 1e6:9.2f} µs "
            f"{median(there) * 1e6:9.2f} µs {apart:+7.2%}; by turn {each}"
        )


def profiler_still_works(function):
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as p:
        function()
        torch.cuda.synchronize()
    kernels = [e for e in p.events() if str(e.device_type).endswith("CUDA")]
    print(f"torch.profiler afterwards: {len(kernels)} events of the GPU")
    check(kernels, "torch.profiler sees no kernels after measuring")


def per_call(function):
    torch.cuda.synchronize()
    begun = time.perf_counter()
    for _ in range(50):
        function()
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) / 50


def measured(roofscope, label, function, result, theirs):
    """One turn of `measure`; returns the durations of both sides."""
    function()
    before = as_bytes(result())
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            profile = roofscope.measure(after_a_pause(function), repeats=CALLS)
        except roofscope.RoofscopeError as error:
            check(False, f"{label}: {error}")
            return {}
    for warning in caught:
        check(False, f"{label}: warning: {warning.message}")
    took = time.perf_counter() - start
    check(as_bytes(result()) == before, f"{label}: another result under measure")
    function()
    check(as_bytes(result()) == before, f"{label}: another result after measure")
    durations = compare(label, profile, theirs)
    print(f"{label}: {took:.2f} s")
    return durations


def main():
    import roofscope

    begun = time.perf_counter()
    durations = defaultdict(lambda: defaultdict(list))
    for turn in range(1, TURNS + 1):
        with tempfile.TemporaryDirectory() as name:
            theirs, _ = recorded(Path(name))
        found = functions()
        for label, (function, result) in found.items():
            function()
            pace = per_call(function)
            of_kernels = measured(roofscope, f"{label} {turn}", function, result, theirs)
            for key, both in of_kernels.items():
                durations[label][key].append(both)
            after = per_call(function)
            print(f"{label}: a call took {pace * 1e6:.1f} µs before, {after * 1e6:.1f} µs after")
    print(f"{'':9} {'kernel':40} {'measure':>12} {'record':>12} {'apart':>7}")
    for label, of_turns in durations.items():
        compare_durations(label, of_turns)
    with roofscope.range("outer"):
        pass
    named, _ = launches_of_range(roofscope, found["torch"][0])
    check(named, "a range around launches is not in the profile")
    raised(roofscope)
    profiler_still_works(found["torch"][0])
    print(f"{time.perf_counter() - begun:.0f} s in all")
    for failure in failures:
        print("FAILED:", failure)
    print("OK" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


def launches_of_range(roofscope, function):
    def step():
        with roofscope.range("inner"):
            function()
        torch.cuda.nvtx.range_push("by nvtx")
        function()
        torch.cuda.nvtx.range_pop()

    kernels = roofscope.measure(step, groups=()).kernels
    ranges = {k.range for k in kernels}
    print(f"ranges: {sorted(str(r) for r in ranges)}")
    check("by nvtx" in ranges, "torch.cuda.nvtx's range is not in the profile")
    return "inner" in ranges, ranges


def raised(roofscope):
    def fails():
        torch.ones(1000, device="cuda").sum()
        raise KeyError("of the function")

    try:
        roofscope.measure(fails, warmup=0)
        check(False, "an exception of the function did not come through")
    except KeyError:
        pass


if __name__ == "__main__":
    if sys.argv[1:] == ["--run"]:
        run_for_record()
    else:
        sys.exit(main())
