#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cost of recording with Nsight Compute's, on the same launches in the same run.

    collector_speed.py BUILD_FOLDER [--json FILE]

Needs a GPU whose counters can be read; the ncu parts are left out if ncu is not in PATH. All times
are wall times of whole processes; "per launch" is (wall − plain wall) / launches."""
import argparse
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def wall(command, repeats=1):
    """Median wall time in seconds and the stderr of the last run."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             errors="replace")
        times.append(time.perf_counter() - begin)
        if run.returncode:
            sys.exit(f"{' '.join(command)} exited with {run.returncode}:\n{run.stderr[-2000:]}")
    return statistics.median(times), run.stderr


def peak_memory(stderr):
    found = re.findall(r"peak memory (\d+) kB", stderr)
    return int(found[-1]) / 1024 if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--json")
    args = parser.parse_args()
    roofscope = os.path.join(args.build, "bin", "roofscope")
    guest = os.path.join(args.build, "bin", "guest_program")
    ncu = shutil.which("ncu")
    folder = tempfile.mkdtemp()
    out = os.path.join(folder, "p.roofscope.json")
    rows = []

    def row(name, value, unit, limit=""):
        rows.append({"name": name, "value": value, "unit": unit, "limit": limit})
        print(f"{name:66} {value:10.3f} {unit:4} {limit}", flush=True)

    def record(options, program):
        # Only what was requested.
        return wall([roofscope, "record", "-q", "--effort", "quick", "-o", out, *options, "--", *program])

    wall([guest, "plain"])
    launches = 100
    program = [guest, "many", str(launches - 3)]
    plain, _ = wall(program, 3)
    ours, _ = record(["--replay", "kernel", "--per-kernel", "all", "--timing-repeats", "0"], program)
    ours = (ours - plain) / launches
    row("kernel replay, default set, per launch", 1e3 * ours, "ms")
    with open(out) as file:
        names = list(json.load(file)["counters"])
    quiet = [ncu, "--cache-control", "none", "--clock-control", "none"]
    if ncu:
        theirs, _ = wall([*quiet, "--metrics", ",".join(names), *program])
        theirs = (theirs - plain) / launches
        row("  ncu, the same counters, per launch", 1e3 * theirs, "ms")
        row("  ncu / roofscope", theirs / ours, "x", ">= 3")
        few = [guest, "many", "7"]
        full, _ = wall([*quiet, "--set", "full", *few])
        full = (full - plain) / 10
        row("  ncu --set full, per launch", 1e3 * full, "ms")
        row("  ncu --set full / roofscope", full / ours, "x", ">= 40")

    program = [guest, "many", "997"]
    plain, _ = wall(program)
    ours, _ = record(["--replay", "application"], program)
    row("application replay, 1000 launches, all runs", ours, "s")
    if ncu:
        theirs, _ = wall([*quiet, "--replay-mode", "application", "--metrics", ",".join(names),
                          *program])
        row("  ncu --replay-mode application, the same counters", theirs, "s")
        row("  ncu / roofscope", theirs / ours, "x", ">= 10")
    auto, _ = record([], program)
    row("auto, 1000 launches of one kernel", auto, "s")

    program = [guest, "plain"]
    plain, _ = wall(program, 5)
    timing = statistics.median(record(["--timing-only"], program)[0] for _ in range(3))
    row("start-up of a timing run beyond the program's own", timing - plain, "s", "< 0.6")
    counters = statistics.median(
        record(["--timing-repeats", "0"], program)[0] for _ in range(3))
    row("start-up of a counter run (3 launches) beyond the program's own", counters - plain, "s",
        "< 0.6")

    program = [guest, "many", "9997"]
    _, stderr = wall(program)
    before = peak_memory(stderr)
    for name, options in {"timing": ["--timing-only"],
                          "kernel replay, 3 per kernel": ["--timing-repeats", "0"]}.items():
        run = subprocess.run([roofscope, "record", "-o", out, *options, "--", *program],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        row(f"memory in the program, 10,000 launches, {name}", peak_memory(run.stderr) - before,
            "MB", "< 200")
    program = [guest, "many", "99997"]
    plain, _ = wall(program)
    timed, _ = record(["--timing-only"], program)
    row("100,000 launches, timing run, whole recording / program", timed / plain, "x")
    size = os.path.getsize(out)
    with open(out, "rb") as file:
        packed = len(gzip.compress(file.read(), 6))
    row("profile of 100,000 timed launches", size / 1e6, "MB", "< 60")
    row("  compressed", packed / 1e6, "MB", "< 15")
    shutil.rmtree(folder)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
