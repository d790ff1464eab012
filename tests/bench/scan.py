#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs roofscope.scan over many profiles, and asks the table the question of docs/python.md.

    PYTHONPATH=python tests/bench/scan.py [--profiles 10000] [--folder DIR] [--workers N]
        [--without dask]

The profiles are made from recorded ones: four programs, eight runs per commit, times that differ by
up to 1 %, and two kernels that became slower with a commit. Each step runs in its own process:
making the profiles, scanning them into Parquet, and asking DuckDB and Dask (a local cluster of two
processes) "which kernel got slower since March, on which commits". Prints time and memory of the
step and of its largest child (which counts at least as much memory as its parent had when it
started). Exits with 1 if an answer is not the two commits. docs/python.md has the results."""
import argparse
import datetime
import gzip
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "profile/samples"
PROGRAMS = ("atomics", "tensor", "torch_tensor", "torch_triton")
RUNS = 8  # per commit
FIRST = datetime.date(2026, 1, 5)
DAYS = 240
# Program, one of its kernels, fraction of the commits before the change, slowdown.
SLOWER = (("tensor", "tensorProduct", 0.5, 1.4), ("atomics", "atomicContention", 0.75, 1.2))
NOISE = 0.01

QUESTION = """
WITH runs AS (
  SELECT name, range, gpu, regexp_extract(path, '-([0-9a-f]{7,40})-', 1) AS commit,
         min(created) AS since, median(median_s) AS seconds
  FROM read_parquet('TABLE/**/*.parquet', hive_partitioning = true)
  WHERE row = 'kernel' GROUP BY ALL
), steps AS (
  SELECT *, lag(seconds) OVER (PARTITION BY name, range, gpu ORDER BY since) AS before FROM runs
)
SELECT name, commit, since::DATE AS since, before, seconds AS after FROM steps
WHERE since >= '2026-03-01' AND after > 1.05 * before ORDER BY after / before DESC
"""


def commit(number):
    return hashlib.sha1(str(number).encode()).hexdigest()[:12]


def commits(profiles):
    return max(profiles // RUNS, 8)


def planted(profiles):
    """The expected answer: (kernel, commit), largest slowdown first."""
    return [
        (kernel, commit(int(commits(profiles) * share)))
        for _, kernel, share, _ in sorted(SLOWER, key=lambda slower: -slower[3])
    ]


def make(folder, profiles):
    rng = random.Random(1)
    texts = {
        program: gzip.decompress((SAMPLES / f"h200_{program}.roofscope.json.gz").read_bytes())
        for program in PROGRAMS
    }
    for i in range(profiles):
        number, run = divmod(i, RUNS)
        if number >= commits(profiles):
            number, run = number - 1, run + RUNS
        program = PROGRAMS[run % len(PROGRAMS)]
        p = json.loads(texts[program])
        share = number / commits(profiles)
        day = FIRST + datetime.timedelta(days=int(share * DAYS))
        p["capture"]["created_utc"] = f"{day}T{8 + run % 12:02}:{number % 60:02}:00Z"
        kernels = p["launches"]["kernel"]
        times = p["launches"]["duration_ns"]
        noise = 1 + rng.uniform(-NOISE, NOISE)
        for row in range(len(times)):
            index = kernels["all"] if isinstance(kernels, dict) else kernels[row]
            kernel = p["kernels"][index]["name"]
            factor = noise
            for name, slow, since, by in SLOWER:
                slower = name == program and f"::{slow}(" in kernel
                if slower and number >= int(commits(profiles) * since):
                    factor *= by
            times[row] = round(times[row] * factor)
        path = folder / str(day) / f"{program}-{commit(number)}-{run}.roofscope.json.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(json.dumps(p).encode(), 1))


def scan(folder, workers):
    import roofscope

    result = roofscope.scan(str(folder / "runs/**/*.roofscope.json.gz"), workers=workers)
    result.to_parquet(folder / "table")
    return {"rows": result.table.num_rows, "skipped": len(result.skipped)}


def ask_duckdb(folder):
    import duckdb

    found = duckdb.sql(QUESTION.replace("TABLE", str(folder / "table"))).fetchall()
    return {"answer": [[row[0], row[1]] for row in found]}


def ask_dask(folder):
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(
        cluster
    ):
        rows = dd.read_parquet(
            folder / "table", columns=["row", "name", "path", "created", "median_s"]
        )
        rows = rows[rows.row == "kernel"]
        rows["commit"] = rows.path.str.extract(r"-([0-9a-f]{7,40})-", expand=False)
        groups = rows.groupby(["name", "commit"])
        runs = groups.agg({"median_s": "median", "created": "min"}, split_out=1).compute()
    runs = runs.reset_index().sort_values("created")
    runs["before"] = runs.groupby("name").median_s.shift()
    slower = runs[(runs.created >= "2026-03-01") & (runs.median_s > 1.05 * runs.before)].copy()
    slower["ratio"] = slower.median_s / slower.before
    slower = slower.sort_values("ratio", ascending=False)
    return {"answer": slower[["name", "commit"]].values.tolist()}


STEPS = {
    "make": lambda a: make(a.folder / "runs", a.profiles),
    "scan": lambda a: scan(a.folder, a.workers),
    "duckdb": lambda a: ask_duckdb(a.folder),
    "dask": lambda a: ask_dask(a.folder),
}


def step(arguments):
    begun = time.perf_counter()
    said = STEPS[arguments.step](arguments) or {}
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    said["seconds"] = time.perf_counter() - begun
    said["cpu"] = own.ru_utime + own.ru_stime
    said["cpu_children"] = children.ru_utime + children.ru_stime
    said["megabytes"] = own.ru_maxrss / 1e3
    said["megabytes_child"] = children.ru_maxrss / 1e3
    print(json.dumps(said))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profiles", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--without", choices=["duckdb", "dask"], action="append", default=[])
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        return step(arguments)
    if not arguments.folder:
        with tempfile.TemporaryDirectory() as folder:
            return measure(Path(folder), arguments)
    return measure(arguments.folder, arguments)


def measure(folder, arguments):
    wrong = 0
    expected = [list(pair) for pair in planted(arguments.profiles)]
    print(f"{'':8}{'wall s':>8}{'CPU s':>8}{'of children':>12}{'MB':>7}{'a child':>9}")
    for name in STEPS:
        if name in arguments.without:
            continue
        command = [sys.executable, __file__, "--step", name, "--folder", str(folder)]
        command += ["--profiles", str(arguments.profiles)]
        if arguments.workers:
            command += ["--workers", str(arguments.workers)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name}: {done.stderr[-1000:]}")
            wrong += 1
            continue
        said = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{name:8}{said['seconds']:8.1f}{said['cpu']:8.1f}{said['cpu_children']:12.1f}"
            f"{said['megabytes']:7.0f}{said['megabytes_child']:9.0f}",
            f"  {said['rows']} rows" if "rows" in said else "",
        )
        if "answer" in said and said["answer"] != expected:
            print(f"{name}: {said['answer']} instead of {expected}")
            wrong += 1
        if said.get("skipped"):
            print(f"{name}: {said['skipped']} profiles were skipped")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
