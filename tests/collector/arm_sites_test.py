#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of a running Python program in a snap of it, with a fake driver and CUPTI.

    arm_sites_test.py ROOFSCOPE INJECT FAKE_DRIVER FAKE_CUPTI FAKE_LAUNCHES
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """\
import ctypes, os, sys, time
driver, cupti, launches = sys.argv[1:4]
os.environ["ROOFSCOPE_CUPTI"] = cupti
ctypes.CDLL(driver, mode=ctypes.RTLD_GLOBAL)
ctypes.CDLL(cupti)
fake = ctypes.CDLL(launches)
fake.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint64]
fake.fake_clock.argtypes = [ctypes.c_uint64]
first, second = (ctypes.create_string_buffer(name) for name in (b"alpha", b"beta"))
assert ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection() == 1
def step():
    fake.fake_launch(first, 4, 5000)
    fake.fake_launch(second, 4, 5000)
while True:
    fake.fake_clock(time.monotonic_ns())
    step()
    time.sleep(0.002)
"""


def main():
    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        print("skipped: frames of this version of Python are not known")
        return 77
    roofscope, inject, *fakes = sys.argv[1:6]
    with tempfile.TemporaryDirectory() as folder:
        program, out = Path(folder, "serve.py"), Path(folder, "out.roofscope.json")
        program.write_text(PROGRAM)
        where = ["--folder", str(Path(folder, "sockets"))]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_INJECTION")}
        environment["ROOFSCOPE_INJECT"] = inject
        armed = subprocess.Popen([roofscope, "arm", *where, "--", sys.executable, str(program), *fakes], env=environment)
        try:
            time.sleep(1.5)

            def sites(*options):
                subprocess.run(
                    [roofscope, "snap", str(armed.pid), *where, "-q", "--out", str(out), "--seconds", "0.3", "--around", "0.1", *options],
                    check=True,
                    timeout=60,
                )
                profile = json.loads(out.read_text())
                names = [kernel["symbol"] for kernel in profile["kernels"]]
                return {
                    names[site["kernel"]]: (Path(site["file"]).name, site["line"], site["function"])
                    for site in profile.get("call_sites", [])
                    if "kernel" in site
                }

            seen = sites()
            assert seen == {"alpha": ("serve.py", 12, "step"), "beta": ("serve.py", 13, "step")}, seen
            assert sites("--call-sites", "off") == {}
            assert armed.poll() is None
        finally:
            armed.kill()
            armed.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
