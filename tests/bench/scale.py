#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time and memory of whole commands on large profiles, compared with their limits.

    scale.py [--roofscope PATH] [--only TEXT] [--folder DIR]

Profiles are made from the recording of the bundled kernels (60 counters): a million launches of
5,000 kernels with three counted launches each, as in real recordings; and the same with the calls
that issued them. A third one has 50,000 kernels with all three launches counted: with ten times the
kernels it must work in about ten times the time, and has loose limits. `compare` uses a second
profile with other times. docs/reports.md has the limits. Exits with 1 if a limit is exceeded."""
import argparse
import gzip
import json
import os
import random
import resource
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "profile/samples/h200_bundled.roofscope.json.gz"
# Kernels, launches, counted launches per kernel, maximum megabytes.
PROFILES = {
    "launches": (5_000, 1_000_000, 3, 500),
    "calls": (5_000, 1_000_000, 3, 550),
    "kernels": (50_000, 150_000, 3, 1_500),
}
# Profile, command, maximum CPU seconds.
CASES = [
    *((profile, command, 3) for profile in ("launches", "calls")
      for command in ("report -f markdown", "report -f csv", "report -f json", "gate --update",
                      "gate")),
    *((profile, "compare", 6) for profile in ("launches", "calls")),
    # All 5,000 pairs in full; a document has the first few.
    *((profile, "compare -f json", 9) for profile in ("launches", "calls")),
    *(("kernels", command, 30)
      for command in ("report -f markdown", "report -f json", "gate --update", "gate",
                      "compare", "compare -f json")),
]


def expanded(column, rows):
    return [column["all"]] * rows if isinstance(column, dict) else column


def calls_of(launches):
    """The calls that issued these launches, from two threads in turn, with some waits."""
    rows = len(launches["kernel"])
    starts = [start - 9000 for start in launches["start_ns"]]
    return {
        "threads": [{"process": 0, "id": 71, "name": "main"}, {"process": 0, "id": 72}],
        "call_names": [{"name": "cuLaunchKernel", "kind": "launch"}],
        "calls": {
            "name": [0] * rows,
            "thread": [i // 1000 % 2 for i in range(rows)],
            "start_delta_ns": [starts[0]] + [b - a for a, b in zip(starts, starts[1:])],
            "duration_ns": [2100 + 7 * (i % 31) for i in range(rows)],
            "work_delta": [0] + [1] * (rows - 1),
        },
    }


def made(kernels, launches, counted, seed, calls=False):
    """`launches` of `kernels` alternating kernels; the first `counted` of each have counters."""
    pattern = json.loads(gzip.open(SAMPLE).read())
    old = pattern["launches"]
    count = old["count"]
    columns = {key: expanded(value, count) for key, value in old.items() if key != "count"}
    # Values that differ between a kernel's launches are taken from its first launch.
    first = {}
    for row, kernel in enumerate(columns["kernel"]):
        first.setdefault(kernel, row)
    kinds = [first[kernel] for kernel in sorted(first)]
    draw = random.Random(seed)
    jitter = [1 + draw.uniform(-0.01, 0.01) for _ in range(1009)]
    faster = [draw.choice((1.0, 1.0, 0.9, 1.15)) for _ in range(kernels)] if seed else [1.0] * kernels

    pattern["kernels"] = [
        dict(pattern["kernels"][columns["kernel"][kinds[k % len(kinds)]]],
             name=f"void model::layer{k}::apply<float, model::Tile<128, 64>>(float const*, float*)",
             symbol=f"_ZN5model5layer{k}E")
        for k in range(kernels)]
    rows = {"kernel": [i % kernels for i in range(launches)]}
    for key in ("grid_x", "grid_y", "block_x", "resident_blocks_per_sm", "range"):
        of_kind = [columns[key][row] for row in kinds]
        rows[key] = [of_kind[k % len(kinds)] for k in rows["kernel"]]
    rows["duration_ns"], rows["start_ns"], now = [], [], 0
    for i, k in enumerate(rows["kernel"]):
        usual = columns["duration_ns"][kinds[k % len(kinds)]] / 10
        rows["duration_ns"].append(int(usual * faster[k] * jitter[i % 1009]))
        rows["start_ns"].append(now)
        now += rows["duration_ns"][-1] + 1800 + i % 400
    for key in ("device", "process", "stream", "from_graph"):
        rows[key] = {"all": 0}
    pattern["launches"] = {"count": launches, **rows}
    for key in ("buffers", "argument_lists"):
        pattern.pop(key, None)

    measured = min(launches, kernels * counted)
    counters = {}
    for name, column in pattern["counters"].items():
        column = expanded(column, count)
        of_kind = [column[row] for row in kinds]
        values = []
        for i in range(measured):
            value = of_kind[i % kernels % len(kinds)]
            values.append(value if value is None or "." in str(value)
                          else int(value * jitter[i % 1009]))
        if measured == launches:
            counters[name] = values
        else:
            kept = [i for i, value in enumerate(values) if value is not None]
            counters[name] = {"rows": kept, "values": [values[i] for i in kept]}
    pattern["counters"] = counters
    pattern["schema"] = [1, 5]
    pattern["processes"][0]["launches_seen"] = launches
    if calls:
        pattern["timeline"] = calls_of(rows)
        pattern["processes"][0]["timeline"] = ["copies", "waits", "launches", "allocations", "loads"]
    return pattern


def write(path, pattern):
    path.write_text(json.dumps(pattern, separators=(",", ":")))
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB", flush=True)


def run(command, out):
    """Exit code, CPU seconds and peak megabytes of the command."""
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    return (os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024)


def command_of(words, roofscope, profile, folder):
    name, *options = words.split()
    before, after = str(folder / f"{profile}.json"), str(folder / f"{profile}-2.json")
    baseline = ["--baseline", str(folder / f"{profile}.baseline")]
    files = {"report": [before], "compare": [before, after], "gate": [before, *baseline]}[name]
    return [roofscope, name, *files, *options]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--roofscope", default=str(ROOT / "build/bin/roofscope"))
    parser.add_argument("--only", default="", help="cases with this text in profile and command")
    parser.add_argument("--folder", type=Path, help="keeps the profiles there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        chosen = [case for case in CASES if options.only in f"{case[0]} {case[1]}"]
        for profile in dict.fromkeys(case[0] for case in chosen):
            for seed, end in ((0, ""), (1, "-2")):
                path = folder / f"{profile}{end}.json"
                if not path.exists():
                    write(path, made(*PROFILES[profile][:3], seed, profile == "calls"))
            baseline = folder / f"{profile}.baseline"
            if not baseline.exists():
                run(command_of("gate --update", options.roofscope, profile, folder), os.devnull)
        print("| profile | command | CPU s | at most | peak MB | at most | code | output MB |")
        print("|---|---|--:|--:|--:|--:|--:|--:|")
        failed = False
        for profile, words, limit in chosen:
            out = folder / "out"
            code, seconds, peak = run(command_of(words, options.roofscope, profile, folder), out)
            most = PROFILES[profile][3]
            failed |= code > 2 or seconds > limit or peak > most
            print(f"| {profile} | {words} | {seconds:.2f} | {limit} | {peak:.0f} | {most} | {code} | "
                  f"{out.stat().st_size / 1e6:.1f} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
