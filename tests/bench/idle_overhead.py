#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the injected library costs a program: if nothing is selected, and if it times everything
(each level of --timeline adds its difference to `--timeline off`: `--way timeline`; what samples of
the CPU cost is the difference between the last two).

    idle_overhead.py BUILD_FOLDER [--rounds N] [--way TEXT] [--program TEXT] [--one-core]

Programs: nothing but many empty launches, and steps of real programs (steps.py), whose caches are
cold between launches. For comparison, in the same rounds: an injected library that makes CUPTI do
what a timing run needs but does nothing itself (empty_injection.cpp), so that the rest is
roofscope's own cost; and PyTorch's profiler with GPU activity only. Medians and minima over all
rounds are compared. With --one-core everything runs on one core. Then most rounds differ by less
than one per cent, and what other threads do for roofscope counts as the program's time."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS = str(Path(__file__).parent / "steps.py")
WAYS = {
    "counters ready, --profile-from-start off": [
        "--timing-repeats",
        "0",
        "--profile-from-start",
        "off",
    ],
    "counters ready, --kernel that matches none": [
        "--timing-repeats",
        "0",
        "--kernel",
        "no such kernel",
    ],
    "timing, --profile-from-start off": ["--timing-only", "--profile-from-start", "off"],
    "timing of all launches, --timeline off": ["--timing-only", "--timeline", "off"],
    "timing of all launches, --timeline gpu": ["--timing-only", "--timeline", "gpu"],
    "timing of all launches, --timeline full": ["--timing-only", "--timeline", "full"],
    "timing, --timeline full, --cpu-samples off": ["--timing-only", "--cpu-samples", "off"],
}
EMPTY = ["subscribed", "launches", "callbacks", "records", "callbacks,records"]


def told(what: str, unit: str, command: list[str], **variables: str) -> float:
    """The time printed by the program."""
    run = subprocess.run(
        command, check=False, capture_output=True, text=True, env={**os.environ, **variables}
    )
    found = re.search(what + r" ([0-9.]+) " + unit, run.stdout)
    if not found:
        sys.exit(f"{' '.join(command)} exited with {run.returncode}:\n{run.stderr[-2000:]}")
    return float(found[1])


def compare(args: argparse.Namespace, name: str, what: str, unit: str, program: list[str]) -> None:
    roofscope = str(args.build / "bin" / "roofscope")
    empty = str(args.build / "lib" / "libempty_injection.so")
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "p.roofscope.json")
        for _ in range(args.rounds):

            def add(way: str, command: list[str], **variables: str) -> None:
                times.setdefault(way, []).append(told(what, unit, command, **variables))

            add("alone", program)
            for parts in EMPTY:
                variables = {"CUDA_INJECTION64_PATH": empty, "EMPTY_INJECTION": parts}
                add(f"empty injection: {parts}", program, **variables)
            if STEPS in program:
                add("PyTorch's profiler, GPU only", [*program, "--profiler"])
            for way, options in WAYS.items():
                if args.way in way:
                    add(way, [roofscope, "record", "-q", "-o", out, *options, "--", *program])
    base, least = statistics.median(times["alone"]), min(times["alone"])
    print(f"{name}, a {what} in {unit}".ljust(46) + "  median    ratio  smallest    ratio")
    for way, each in times.items():
        middle, low = statistics.median(each), min(each)
        print(
            f"  {way.ljust(44)}{middle:8.3f} {middle / base:8.3f} {low:9.3f} {low / least:8.3f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", default="", help="only those whose name has this text")
    parser.add_argument(
        "--program", default="", help="likewise: calls, training, embeddings, environments"
    )
    parser.add_argument("--one-core", action="store_true")
    args = parser.parse_args()
    if args.one_core:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if args.program in "calls":
        guest = str(args.build / "bin" / "guest_program")
        compare(args, "empty launches", "call", "us", [guest, "calls"])
    for kind, steps in {"training": 60, "embeddings": 60, "environments": 8}.items():
        if args.program in kind:
            compare(args, kind, "step", "ms", [sys.executable, STEPS, kind, str(steps)])


if __name__ == "__main__":
    main()
