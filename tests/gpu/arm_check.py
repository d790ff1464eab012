#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Snaps a program under load in each of its ways (arm_program.cu). The program must not notice:
its results stay right, and it is as fast afterwards as before.

    arm_check.py ROOFSCOPE ARM_PROGRAM
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOFSCOPE, PROGRAM = (str(Path(word).resolve()) for word in sys.argv[1:3])
# A tenth: processors of shared machines change their speed. Where CUPTI stays (CUDA graphs), it is
# only looked at whether the program survives.
SLOWER = 1.10


class Armed:
    """An armed program that runs for some seconds."""

    def __init__(self, folder, *words):
        self.folder = folder
        self.output = tempfile.TemporaryFile("w+")
        command = [ROOFSCOPE, "arm", "--folder", folder, "--", PROGRAM, *words]
        self.process = subprocess.Popen(command, stdout=self.output)
        time.sleep(1.5)

    def snap(self, name, *options):
        out = os.path.join(self.folder, name + ".roofscope.json")
        command = [ROOFSCOPE, "snap", str(self.process.pid), "--folder", self.folder]
        return subprocess.Popen([*command, "--quiet", "--out", out, *options]), out

    def snapped(self, name, *options):
        snap, out = self.snap(name, *options)
        code = snap.wait(timeout=60)
        assert code == 0, f"{name}: snap ended with {code}"
        report = subprocess.run(
            [ROOFSCOPE, "report", out, "--format", "json"], capture_output=True, check=True
        )
        return json.loads(report.stdout)["profile"]

    def ended(self, name):
        code = self.process.wait(timeout=60)
        self.output.seek(0)
        last = self.output.read().splitlines()[-1:]
        assert code == 0 and last == ["ok"], f"{name}: the program ended with {code}, {last}"


def check(kind, seconds, options, threads="1", left=True):
    with tempfile.TemporaryDirectory() as folder:
        program = Armed(folder, kind, seconds, threads)
        first = None
        for turn in (1, 2):
            profile = program.snapped(f"{kind}{turn}", *options)
            assert profile["launches_measured"] > 100, profile
            snap = profile["snap"]
            before, after = snap["step_seconds_before"], snap["step_seconds_after"]
            print(f"{kind} x{threads}: {snap['steps']} steps, {before} s before, {after} s after")
            # What is measured right after a snap still carries its callbacks. The pace before the
            # next one is that of a program that the first has left.
            if left and first and before:
                assert before < first * SLOWER, f"{kind}: slower after a snap"
            first = first or before
        program.ended(kind)


def check_killed():
    with tempfile.TemporaryDirectory() as folder:
        program = Armed(folder, "plain", "6")
        snap, _ = program.snap("killed", "--seconds", "30", "--around", "0.2")
        time.sleep(1)
        snap.send_signal(signal.SIGKILL)
        snap.wait()
        time.sleep(1)
        assert program.snapped("next", "--seconds", "0.3", "--around", "0.3")["launches_measured"] > 100
        program.ended("killed")


def main():
    short = ("--seconds", "0.4", "--around", "0.5")
    check("plain", "9", ("--steps", "50", "--around", "0.5"))
    # More threads than that may keep CUPTI from beginning.
    check("pause", "12", short, threads="3")
    check("graph", "9", short, left=False)
    check("capture", "9", short, left=False)
    check("strict", "9", short, left=False)
    check("fork", "9", short, left=False)
    check("reset", "9", short, left=False)
    check_killed()


if __name__ == "__main__":
    main()
