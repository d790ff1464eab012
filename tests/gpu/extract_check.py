#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract_check.py ROOFSCOPE EXTRACT_PROGRAM [CASE…]: launches that `roofscope extract` keeps replay
as in their program, and candidates get the verdict that they deserve. CASE: a kernel or candidate,
in place of all."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CANDIDATES = Path(__file__).parent / "extract"
BETTER, NOT_BETTER, NOT_COMPARED, WRONG = 0, 1, 2, 3
# Candidates for slow_scale, and what the verdict says of them.
VERDICTS = {
    "same": (NOT_BETTER, "same bytes"),
    "faster": (BETTER, "same bytes"),
    "wrong": (WRONG, "bytes of the result are wrong, first at argument 1"),
    "nowork": (WRONG, "bytes of the result are wrong"),
    "outside": (WRONG, ""),  # it faults, or the bytes are seen
    "stale": (NOT_BETTER, "same bytes"),  # its variables are reset before each run
    "fault": (WRONG, "failed"),
    "args": (NOT_COMPARED, "parameters differ"),
}
# The same in Python, if these can be imported.
IN_PYTHON = {
    "torch_better": (BETTER, "same bytes", ["torch"]),
    "triton_better": (BETTER, "same bytes", ["torch", "triton"]),
    "cupy_better": (BETTER, "same bytes", ["cupy"]),
    "torch_wrong": (WRONG, "bytes of the result are wrong", ["torch"]),
    "torch_waits": (None, "it waits for the GPU", ["torch"]),
    "torch_elsewhere": (NOT_COMPARED, "another stream", ["torch"]),
    "triton_fault": (WRONG, "illegal memory access", ["torch", "triton"]),
}
# What compute-sanitizer says of them.
SANITIZED = {"faster": BETTER, "race": WRONG, "fault": WRONG}
EXACT = ["slow_scale", "update", "by_table", "clustered", "grid_sum", "on_managed", "on_pool"]
EXACT += ["on_pinned"]


def main():
    roofscope, program, *chosen = sys.argv[1:]

    def wanted(names):
        return [name for name in names if not chosen or name in chosen]

    def wanted_of(cases):
        return [(name, cases[name]) for name in wanted(cases)]

    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not shutil.which(nvcc) or not shutil.which(os.environ.get("CXX", "c++")):
        print("skipped: candidates need nvcc, and the replay a C++ compiler")
        return 77
    bad = []

    def check(case, right, what):
        print(f"{'ok ' if right else 'BAD'} {case}: {what}", flush=True)
        if not right:
            bad.append(case)

    def run(*words, folder="."):
        return subprocess.run(
            words,
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
            cwd=folder,
            env=os.environ | {"PYTHON": sys.executable},
        )

    with tempfile.TemporaryDirectory() as there:

        def extract(kernel):
            folder = Path(there) / kernel
            done = run(
                roofscope,
                "extract",
                "--kernel",
                f"^{kernel}$",
                "--launch",
                "4",
                "--out",
                folder,
                "--",
                program,
            )
            facts = folder / "original.json"
            return folder, done, json.loads(facts.read_text()) if facts.exists() else {}

        for kernel in dict.fromkeys(["slow_scale", *wanted(EXACT)]):  # candidates need the first
            folder, done, facts = extract(kernel)
            exact = (
                done.returncode == 0
                and facts["differing_bytes"] == 0
                and facts["written_bytes"] > 0
            )
            check(kernel, exact, done.stderr.strip().splitlines()[-1:])
        for kernel in wanted(["totals"]):  # not deterministic: a tolerance that the replays gave
            folder, done, facts = extract(kernel)
            close = done.returncode == 0 and facts["varies"] and 0 < facts["varying_relative"] < 1e-2
            check(kernel, close, facts or done.stderr)
        for kernel, why in wanted_of({"in_graph": "graph", "on_texture": "textures"}):
            folder, done, facts = extract(kernel)
            refused = done.returncode == 69 and why in done.stderr and not folder.exists()
            check(kernel, refused, done.stderr.strip().splitlines()[-1:])

        folder = Path(there) / "slow_scale"
        source = (folder / "kernel.cu").read_text()
        check("source", "out[r * (n / 2048) + c] = in[i] * c_factor[1];" in source, "kernel.cu")
        done = run("./check", "kernel.cu", folder=folder)
        check("kernel.cu", done.returncode == NOT_BETTER, done.stdout.strip() or done.stderr)
        for name, (code, words) in wanted_of(VERDICTS):
            done = run("./check", CANDIDATES / f"{name}.cu", "--json", folder=folder)
            said = (
                json.loads(done.stdout) if done.stdout.startswith("{") else {"reason": done.stderr}
            )
            check(name, done.returncode == code and words in said["reason"], said)
        for name, (code, words, modules) in wanted_of(IN_PYTHON):
            if any(importlib.util.find_spec(module) is None for module in modules):
                print(f"skipped: {name} needs {' and '.join(modules)}")
                continue
            done = run("./check", CANDIDATES / f"{name}.py", "--json", folder=folder)
            said = (
                json.loads(done.stdout) if done.stdout.startswith("{") else {"reason": done.stderr}
            )
            right = (code is None or done.returncode == code) and words in said["reason"]
            check(name, right, said)
            if not right:
                print(done.stderr[-4000:], flush=True)
        if shutil.which("compute-sanitizer") or Path("/usr/local/cuda/bin/compute-sanitizer").exists():
            for name, code in wanted_of(SANITIZED):
                done = run("./check", CANDIDATES / f"{name}.cu", "--sanitize", folder=folder)
                said = done.stdout.strip() or done.stderr
                check(f"{name} sanitized", done.returncode == code, said)
        moved = Path(there) / "moved"
        folder.rename(moved)
        done = run(moved / "check", CANDIDATES / "faster.cu", "--cache", "cold")
        check("moved", done.returncode == BETTER, done.stdout.strip() or done.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
