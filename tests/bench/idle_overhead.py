#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the injected library costs a program: when nothing is selected, and when it times everything
(what each level of --timeline adds is the difference to `--timeline off`: `--way timeline`).

    idle_overhead.py BUILD_FOLDER [--rounds N] [--steps N] [--way TEXT] [--calls-only]

First what a launch call takes longer, in a program that launches empty kernels and nothing else: a
storm of tiny launches. Then what a PyTorch training step takes longer (tests/gpu/torch_training.py). Programs run in turns
with and without roofscope and measure themselves; compared are the medians of all rounds, and the
smallest. A step is bound by the CPU, and processes that the system moves from core to core differ by
5 per cent: all run on one core, where most are within one. What other threads do for roofscope takes
the program's time there, too, so that it has nowhere to hide."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

TRAINING = os.path.join(os.path.dirname(__file__), "..", "gpu", "torch_training.py")
WAYS = {
    "counters ready, --profile-from-start off":
        ["--timing-repeats", "0", "--profile-from-start", "off"],
    "counters ready, --kernel that matches none":
        ["--timing-repeats", "0", "--kernel", "no such kernel"],
    "timing, --profile-from-start off": ["--timing-only", "--profile-from-start", "off"],
    "timing of all launches, --timeline off": ["--timing-only", "--timeline", "off"],
    "timing of all launches, --timeline gpu": ["--timing-only", "--timeline", "gpu"],
    "timing of all launches, --timeline full": ["--timing-only", "--timeline", "full"],
}


def told(what, unit, command):
    """The time that the program prints."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(what + r" ([0-9.]+) " + unit, run.stdout)
    if not found:
        sys.exit(f"{' '.join(command)} exited with {run.returncode}:\n{run.stderr[-2000:]}")
    return float(found[1])


def compare(args, what, unit, program):
    plain, with_us = [], {way: [] for way in WAYS if args.way in way}
    roofscope = os.path.join(args.build, "bin", "roofscope")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "p.roofscope.json")
        for _ in range(args.rounds):
            plain.append(told(what, unit, program))
            for way, times in with_us.items():
                times.append(told(what, unit, [roofscope, "record", "-q", "-o", out, *WAYS[way],
                                               "--", *program]))
    base = statistics.median(plain)
    print(f"{what}, plain".ljust(50) + f"{base:8.3f} {unit}, {min(plain):.3f} to {max(plain):.3f}")
    for way, times in with_us.items():
        middle = statistics.median(times)
        print(f"{what}, {way}".ljust(50) + f"{middle:8.3f} {unit}, {min(times):.3f} to "
              f"{max(times):.3f}, median {100 * (middle / base - 1):+.2f} %, smallest "
              f"{100 * (min(times) / min(plain) - 1):+.2f} %", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--way", default="", help="only those whose name has this text")
    parser.add_argument("--calls-only", action="store_true", help="no training step")
    args = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    compare(args, "call", "us", [os.path.join(args.build, "bin", "guest_program"), "calls"])
    if not args.calls_only:
        compare(args, "step", "ms", [sys.executable, TRAINING, str(args.steps)])


if __name__ == "__main__":
    main()
