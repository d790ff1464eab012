#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records each program of programs/ unmodified and compares it with a plain run.

    tests/frameworks/run.py BUILD_FOLDER [--out FOLDER] [--only NAME…] [--record-option=…]
        [--ncu SECONDS]

Needs a GPU and what the programs import (nvcc for CUDA C++). A program whose import fails is
skipped and named. Checks for each that exit code and output are as without roofscope, and prints
the number of launches measured and the time of the recording next to the plain run's. With --ncu
also that of Nsight Compute with the same counters of all launches (stopped after SECONDS). Exits
with 1 if a program ended differently, and with 77 if nothing could be run.
"""

import argparse
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = pathlib.Path(__file__).parent / "programs"
SECONDS = 240


def end_all(mark):
    """Ends all processes that have this text in their environment."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            pass  # it has ended, or belongs to another user


def run(command, limit=SECONDS):
    """Exit code (None: timed out), output, last lines of errors, seconds."""
    begun = time.monotonic()
    name, value = "ROOFSCOPE_TABLE_RUN", f"{os.getpid()}-{begun}"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True, env={**os.environ, name: value}) as child:
        try:
            output, errors = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired as ended:
            # All children as well. ncu's have their own sessions, and one that survives keeps GPU
            # memory that the next program needs.
            end_all(f"{name}={value}")
            return None, "", str(ended), time.monotonic() - begun
    return child.returncode, output, errors, time.monotonic() - begun


def started(program, folder):
    """The command to run the program, compiled into `folder` if needed; None without a compiler."""
    if program.suffix == ".py":
        return [sys.executable, program]
    if not shutil.which("nvcc"):
        return None
    built = pathlib.Path(folder) / program.stem
    subprocess.run(["nvcc", "-O2", "-std=c++20", "-lineinfo", "-arch=native", "-o", built, program], check=True)
    return [built]


def beside_ncu(profile, command, seconds):
    """The time that Nsight Compute takes for the profile's counters, and how it ended."""
    with gzip.open(profile, "rt") as file:
        read = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        # Clocks and caches are left alone, as by roofscope.
        code, _, errors, took = run(
            ["ncu", "--cache-control", "none", "--clock-control", "none", "--target-processes", "all",
             "--export", f"{folder}/report", "--metrics", ",".join(read["counters"]),
             *command], seconds)
    ended = "ended" if code is None else "done" if code == 0 else f"exit {code}: {errors[-300:]}"
    counters = read["counters"].get("gpu__time_duration.sum", [])
    counted = sum(value is not None for value in counters) if isinstance(counters, list) else None
    return {"ncu_s": round(took, 1), "ncu": ended, "launches": read["launches"]["count"], "counted": counted}


def missing_import(errors):
    return "ModuleNotFoundError" in errors or "ImportError" in errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("frameworks"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--record-option", action="append", default=[])
    parser.add_argument("--ncu", type=float, metavar="SECONDS", help="time Nsight Compute, too, for so long at most")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as built:
        return table(args, built)


def table(args, built):
    """Runs all programs in turn; returns the exit code."""
    rows, failed = [], 0
    for program in sorted([*PROGRAMS.glob("*.py"), *PROGRAMS.glob("*.cu")]):
        if args.only and program.stem not in args.only:
            continue
        command = started(program, built)
        if not command:
            rows.append({"program": program.stem, "plain_s": "", "result": "skipped: no nvcc"})
            continue
        code, output, errors, plain = run(command)
        row = {"program": program.stem, "plain_s": round(plain, 1)}
        rows.append(row)
        if code != 0:
            row["result"] = "skipped: not importable" if missing_import(errors) else f"plain run ended with {code}"
            row["errors"] = errors[-500:]
            print(json.dumps(row), flush=True)
            continue
        profile = args.out / f"{program.stem}.roofscope.json.gz"
        recording = [args.build / "bin/roofscope", "record", "--out", profile, *args.record_option]
        again, heard, errors, recorded = run([*recording, "--", *command])
        row |= {"recorded_s": round(recorded, 1), "times": round(recorded / plain, 2)}
        # Each run prints the program's result; all must equal the plain run's.
        results = {line for line in heard.splitlines() if line and line in output}
        if again != 0:
            row["result"] = f"FAILED: recording ended with {again}"
            row["errors"] = errors[-1500:]
        elif not set(output.splitlines()) <= results:
            row["result"] = f"FAILED: printed {heard[-200:]!r}, plain {output[-200:]!r}"
        else:
            row["result"] = "same"
        failed += row["result"].startswith("FAILED")
        if args.ncu and row["result"] == "same":
            row |= beside_ncu(profile, command, args.ncu)
        print(json.dumps(row), flush=True)
    (args.out / "table.json").write_text(json.dumps(rows, indent=1) + "\n")
    for row in rows:
        print(f"{row['program']:32} {row['plain_s']:6} {row.get('recorded_s', ''):>6} {row['result']}"
              + (f", ncu {row['ncu_s']} s ({row['ncu']})" if "ncu_s" in row else ""))
    ran = [row for row in rows if "recorded_s" in row]
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
