#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the injected library costs a PyTorch training step when nothing is selected.

    idle_overhead.py ROOFSCOPE [--rounds N] [--steps N] [--way TEXT]

Runs tests/gpu/torch_training.py in turns with and without roofscope and compares the median step
times that the program itself measures: those of all rounds by their medians and by their smallest.
A step is bound by the CPU, and one process differs from the next by some per cent, so that few
rounds say little: the spread is printed, too."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(__file__), "..", "gpu", "torch_training.py")
WAYS = {
    "counters ready, --profile-from-start off":
        ["--timing-repeats", "0", "--profile-from-start", "off"],
    "counters ready, --kernel that matches none":
        ["--timing-repeats", "0", "--kernel", "no such kernel"],
    "timing, --profile-from-start off": ["--timing-only", "--profile-from-start", "off"],
    "timing of all launches": ["--timing-only"],
}


def step_ms(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(r"step ([0-9.]+) ms", run.stdout)
    if not found:
        sys.exit(f"{' '.join(command)} exited with {run.returncode}:\n{run.stderr[-2000:]}")
    return float(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roofscope")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--way", default="", help="only those whose name has this text")
    args = parser.parse_args()
    program = [sys.executable, PROGRAM, str(args.steps)]
    plain, with_us = [], {way: [] for way in WAYS if args.way in way}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "p.roofscope.json")
        for _ in range(args.rounds):
            plain.append(step_ms(program))
            for way, times in with_us.items():
                times.append(step_ms(
                    [args.roofscope, "record", "-q", "-o", out, *WAYS[way], "--", *program]))
    base = statistics.median(plain)
    print(f"{'plain':45} {base:8.3f} ms, {min(plain):.3f} to {max(plain):.3f}")
    for way, times in with_us.items():
        middle = statistics.median(times)
        print(f"{way:45} {middle:8.3f} ms, {min(times):.3f} to {max(times):.3f}, "
              f"median {100 * (middle / base - 1):+.2f} %, smallest "
              f"{100 * (min(times) / min(plain) - 1):+.2f} %")


if __name__ == "__main__":
    main()
