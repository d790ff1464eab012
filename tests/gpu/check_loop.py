#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_loop.py ROOFSCOPE LOOP_PROGRAM: what `roofscope check-loop` says of loops whose fault is known."""

import gzip
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def clocks(check, run, roofscope, recording):
    """A matrix product, back to back for seconds (the power cap lowers clocks) or with pauses."""
    torch_clocks = [sys.executable, Path(__file__).parent / "torch_clocks.py"]
    subprocess.run([roofscope, "record", "-q", "--effort", "quick", "--out", recording, "--", *torch_clocks, "steady"],
                   check=True, timeout=200)
    seen = json.loads(gzip.decompress(recording.read_bytes()))["devices"][0]["observed"]
    _, kernel, found = run("few", "--program", recording, "--kernel", "gemm|nvjet|cutlass", command=torch_clocks)
    said = (kernel["optimism"], found, seen)
    if not seen.get("throttled_samples"):
        print(f"skipped: other-clocks (nothing held this GPU's clocks back: {said})")
        return
    check("other clocks", "other-clocks" in found and kernel["optimism"] > 1.05, said)


def main():
    roofscope, program = sys.argv[1:3]
    bad = []

    def check(case, right, what):
        print(f"{'ok ' if right else 'BAD'} {case}: {what}", flush=True)
        if not right:
            bad.append(case)

    def run(case, *options, command=(program,)):
        done = subprocess.run([roofscope, "check-loop", "-q", "--format", "json", *options, "--", *command, case],
                              capture_output=True, text=True, timeout=200)
        if done.returncode not in (0, 1):
            sys.exit(f"check-loop ended with {done.returncode}: {done.stderr}")
        kernel = max(json.loads(done.stdout)["kernels"], key=lambda kernel: kernel["share"])
        return done.returncode, kernel, [finding["id"] for finding in kernel["findings"]]

    code, kernel, found = run("warm")
    read = [side["dram_read_bytes"] for side in (kernel["loop"], kernel["replayed"], kernel["empty_l2"])]
    check("warm", code == 1 and "warm-cache" in found and kernel["optimism"] > 1.2, (kernel["optimism"], found, read))
    check("warm", read[0] < 2e6 and 7e6 < read[2] < 10e6, "an empty L2 has to read the 8 MB")
    code, kernel, found = run("rotated")
    check("rotated", code == 0 and not found and 0.9 < kernel["optimism"] < 1.1, (kernel["optimism"], found))
    code, kernel, found = run("nothing")
    check("nothing", code == 1 and found == ["no-result"], found)
    code, kernel, found = run("cold")
    check("cold", code == 1 and "first-launches" in found, found)
    with tempfile.TemporaryDirectory() as folder:
        real = Path(folder) / "program.roofscope.json.gz"
        subprocess.run([roofscope, "record", "-q", "--effort", "quick", "--out", real, "--", program, "rotated"],
                       check=True, timeout=200)
        code, kernel, found = run("warm", "--program", str(real))
        check("beside the program", code == 1 and "other-inputs" in found and kernel["optimism"] > 1.2,
              (kernel["optimism"], found))
        if importlib.util.find_spec("torch"):
            clocks(check, run, roofscope, Path(folder) / "steady.roofscope.json.gz")
        else:
            print("skipped: other-clocks (no PyTorch)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
