#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replaces the executable in tests that record without a GPU.

`record` runs the program and copies $FAKE_RECORDING; other commands go to $REAL_ROOFSCOPE.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

arguments = sys.argv[1:]
if arguments[0] == "doctor" and "FAKE_DOCTOR" in os.environ:
    print("ok       Counter permission")
    sys.exit(int(os.environ["FAKE_DOCTOR"]))
if arguments[0] == "record":
    split = arguments.index("--")
    out = Path(arguments[arguments.index("--out") + 1])
    print("timing run", file=sys.stderr, flush=True)
    done = subprocess.run(arguments[split + 1 :], check=False)
    shutil.copy(os.environ["FAKE_RECORDING"], out)
    sys.exit(done.returncode)
os.execv(os.environ["REAL_ROOFSCOPE"], ["roofscope", *arguments])
