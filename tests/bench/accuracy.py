#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares roofscope's counters with Nsight Compute's for the same program.

    accuracy.py ROOFSCOPE [--durations] -- PROGRAM [ARGS…]

Records PROGRAM with roofscope (every launch, kernel replay) and profiles it with ncu for the same
counters (caches and clocks left alone). Joins launches by kernel, shape and order, and prints how
many values agree exactly, or by how much they differ. Durations of the timing run are compared with
those of an ncu run that reads nothing else: it has one pass, so nothing is replayed and kernels
find in the L2 what the program left there, as in the timing run. Durations of ncu's run with all
counters are also shown. --durations compares only durations, which takes a fraction of the time."""
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict

DURATION = "gpu__time_duration.sum"
UNITS = {"nsecond": 1, "ns": 1, "usecond": 1e3, "us": 1e3, "msecond": 1e6, "ms": 1e6,
         "second": 1e9, "s": 1e9,
         "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


def run(command, **more):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            errors="replace", **more)
    if result.returncode not in (0, 90):
        sys.exit(f"{' '.join(command)[:300]} exited with {result.returncode}:\n{result.stderr[-2000:]}")
    return result.stdout


def ours(roofscope, options, program, path):
    run([roofscope, "record", "-q", "--effort", "quick", *options, "-o", path, "--", *program])
    with open(path) as file:
        p = json.load(file)
    n = p["launches"]["count"]

    def column(c):
        return [c["all"]] * n if isinstance(c, dict) else c
    launches = []
    shape = [column(p["launches"][k]) for k in ("grid_x", "grid_y", "grid_z", "block_x", "block_y",
                                                "block_z")]
    counters = {name: column(c) for name, c in p["counters"].items()}
    durations = column(p["launches"]["duration_ns"])
    for i in range(n):
        kernel = p["kernels"][column(p["launches"]["kernel"])[i]]
        launches.append({"name": kernel["name"], "shape": tuple(s[i] for s in shape),
                         "timed": durations[i],
                         "values": {name: c[i] for name, c in counters.items()}})
    return launches, list(counters)


def theirs(names, program):
    text = run(["ncu", "--cache-control", "none", "--clock-control", "none", "--csv", "--page",
                "raw", "--print-units", "base", "--metrics", ",".join(names), *program])
    start = text.find('"ID"')
    rows = list(csv.DictReader(text[start:].splitlines()))
    units, rows = rows[0], rows[1:]
    launches = []
    for row in rows:
        numbers = re.findall(r"\d+", row["Grid Size"]) + re.findall(r"\d+", row["Block Size"])
        values = {}
        for name in names:
            cell = (row.get(name) or "").replace(",", "")
            try:
                values[name] = float(cell) * UNITS.get(units[name], 1)
            except ValueError:
                values[name] = None
        launches.append({"name": row["Kernel Name"], "shape": tuple(map(int, numbers)),
                         "values": values})
    return launches


def short(name):
    """The bare name of a function; the tools differ in namespaces, template arguments and types."""
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", name)
    return re.sub(r"[<(].*", "", name).split()[-1].split("::")[-1]


def paired(mine, other):
    """Pairs of launches of the same kernel and shape, in their order."""
    def key(launch):
        return short(launch["name"]), launch["shape"]
    partners = defaultdict(list)
    for launch in other:
        partners[key(launch)].append(launch)
    pairs = [(launch, partners[key(launch)].pop(0)) for launch in mine if partners[key(launch)]]
    if not pairs:
        sys.exit(f"no launch here is one of ncu's; here, first: {[key(a) for a in mine[:3]]}, "
                 f"with ncu: {[key(b) for b in other[:3]]}")
    return pairs


def print_durations(pairs, title, of_mine):
    """Medians over the launches of each kernel above 20 µs, largest difference first."""
    durations = defaultdict(list)
    for a, b in pairs:
        if of_mine(a) is not None and b["values"][DURATION] is not None:
            durations[a["name"], a["shape"]].append((of_mine(a), b["values"][DURATION]))
    lines = []
    for (name, _), values in durations.items():
        mine, other = (statistics.median(v) for v in zip(*values))
        if other > 20e3:
            lines.append((mine / other - 1, short(name)[-40:], other, len(values)))
    lines.sort(key=lambda line: -abs(line[0]))
    within = sum(abs(line[0]) <= 0.03 for line in lines)
    print(f"durations over 20 µs, {title}: {within} of {len(lines)} kernels within 3 % of ncu's")
    for difference, name, other, count in lines[:12]:
        print(f"  {name:40} {100 * difference:+6.2f} % of {other / 1e3:8.1f} us, median of {count}",
              flush=True)


def print_counters(pairs, names):
    exact = [n for n in names if "__sass_" in n or n == "smsp__inst_executed.sum"]
    worst, agree, total, wrong = defaultdict(float), 0, 0, []
    for a, b in pairs:
        for name in names:
            x, y = a["values"][name], b["values"][name]
            if x is None or y is None:
                continue
            if name in exact:
                total += 1
                if x == y:
                    agree += 1
                else:
                    wrong.append((short(a["name"]), name, x, y))
            elif name.startswith("dram__bytes") and y > 5e8:
                worst[name] = max(worst[name], abs(x / y - 1))
    print(f"exact counters: {agree} of {total} equal")
    for kernel, name, x, y in wrong[:40]:
        print(f"  {kernel:40} {name:62} {x:16.0f} {y:16.0f}")
    for name, share in sorted(worst.items()):
        print(f"largest difference, {name}: {100 * share:.2f} %")


def main():
    end = sys.argv.index("--")
    roofscope, program, durations_only = sys.argv[1], sys.argv[end + 1:], "--durations" in sys.argv[:end]
    options = ["--timing-only"] if durations_only else ["--replay", "kernel", "--per-kernel", "all"]
    with tempfile.TemporaryDirectory() as folder:
        mine, names = ours(roofscope, options, program, os.path.join(folder, "p.roofscope.json"))
    alone = theirs([DURATION], program)
    pairs = paired(mine, alone)
    print(f"{len(mine)} launches here, {len(alone)} with ncu, {len(pairs)} pairs, "
          f"{len({a['name'] for a, _ in pairs})} kernels")
    print_durations(pairs, "timing run beside ncu with this counter alone", lambda a: a["timed"])
    if durations_only:
        return
    pairs = paired(mine, theirs(names, program))
    print_durations(pairs, "both while reading all counters", lambda a: a["values"][DURATION])
    print_counters(pairs, names)


if __name__ == "__main__":
    main()
