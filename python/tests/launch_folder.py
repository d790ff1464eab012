# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of `roofscope extract`: a launch of scale(in, out, n): out[i] = 3 in[i], as the
injected library would keep it, and a driver without a GPU that runs it
(tests/extract/fake_cuda.cpp).
"""

import array
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHUNK = 64 * 1024
COUNT = 40_000
IN, OUT, OTHER = 0x6A0000000000, 0x6A0000400000, 0x6A0000800000


def cubin() -> bytes:
    """An ELF file with the kernel `scale`, without code."""
    names = b"\0.text.scale\0.symtab\0.strtab\0"
    texts = b"\0scale\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0x10, 1, 0, 4)
    start = 64 + 5 * 64
    places = [start, start + 4, start + 4 + len(symbols), start + 4 + len(symbols) + len(texts)]
    header = b"\x7fELF\2\1\1" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64, 0, 64, 56, 0, 64, 5, 4)

    def section(name: int, kind: int, at: int, size: int, link: int = 0) -> bytes:
        return struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, at, size, link, 0, 1, 0)

    table = bytes(64) + section(1, 1, places[0], 4)
    table += section(13, 2, places[1], len(symbols), 3)
    table += section(21, 3, places[2], len(texts)) + section(0, 3, places[3], len(names))
    return header + table + bytes(4) + symbols + texts + names


def _write_memory(folder: Path, regions: list[tuple[bytes, bytes]]) -> None:
    """memory.index and memory.bin (collector/capture/page_format.h): before and after."""
    chunks: dict[bytes, int] = {}
    lists = b""
    for region in regions:
        lists += struct.pack("<Q", len(region[0]))
        for state in region:
            for at in range(0, len(state), CHUNK):
                number = chunks.setdefault(state[at : at + CHUNK], len(chunks))
                lists += struct.pack("<I", number)
    index, stored = struct.pack("<8sQQQ", b"RSPAGES1", CHUNK, len(chunks), len(regions)), b""
    for chunk in chunks:
        index += struct.pack("<QIIII", len(stored), len(chunk), len(chunk), zlib.crc32(chunk), 1)
        stored += chunk
    (folder / "memory.index").write_bytes(index + lists)
    (folder / "memory.bin").write_bytes(stored)


#: What is known of the launch: capture.json, and most of launch.json.
FACTS = {
    "symbol": "scale", "grid": [1, 1, 1],
    "name": "scale(float const*, float*, int)", "block": [32, 1, 1], "cluster": None,
    "dynamic_shared_bytes": 0, "cooperative": False, "gpu": "a fake GPU", "compute": [9, 0],
    "modules": ["module-0.cubin"], "variables": [], "notes": [],
    "parameters": [
        {"offset": 0, "bytes": 8, "value": struct.pack("<Q", IN).hex()},
        {"offset": 8, "bytes": 8, "value": struct.pack("<Q", OUT).hex()},
        {"offset": 16, "bytes": 4, "value": struct.pack("<i", COUNT).hex()},
    ],
    "memory": [
        {"address": hex(IN), "bytes": 4 * COUNT, "kind": "device"},
        {"address": hex(OUT), "bytes": 4 * COUNT, "kind": "device"},
        {"address": hex(OTHER), "bytes": 1000, "kind": "device"},
    ],
}  # fmt: skip


def write_launch(folder: Path) -> None:
    """Memory and code of the launch."""
    before = array.array("f", [i % 1000 for i in range(COUNT)])
    after = array.array("f", [3 * x for x in before]).tobytes()
    same = (b"other" * 200, b"other" * 200)
    _write_memory(folder, [(before.tobytes(), before.tobytes()), (bytes(4 * COUNT), after), same])
    (folder / "module-0.cubin").write_bytes(cubin())


def fake_driver(folder: Path) -> Path:
    """A folder with a libcuda that runs the launch on the CPU."""
    folder.mkdir()
    words = ["c++", "-std=c++20", "-O2", "-shared", "-fPIC", "-o", folder / "libcuda.so.1"]
    subprocess.run([*words, ROOT / "tests/extract/fake_cuda.cpp"], check=True)
    return folder


def make_folder(there: Path) -> None:
    """The folder that `extract` makes, with all that `check` needs, and the driver."""
    fake_driver(there / "driver")
    write_launch(there)
    types = ("f32*", "f32*", "i32")
    parameters = [
        one | {"type": kind} for one, kind in zip(FACTS["parameters"], types, strict=True)
    ]
    launch = FACTS | {"format": "roofscope-launch", "version": 1, "parameters": parameters}
    (there / "launch.json").write_text(json.dumps(launch))
    (there / "arch").write_text("sm_90a\n")
    # As in `roofscope extract`, which puts the headers in it.
    (there / "replay.cpp").write_text('#include "extract/driver/replay.cpp"\n')
    for name, as_ in (("check.sh", "check"), ("candidate_runner.py", "candidate_runner.py")):
        shutil.copy(ROOT / "extract/folder" / name, there / as_)
    (there / "check").chmod(0o755)


def environment(driver: Path) -> dict[str, str]:
    """The environment for `check` with that driver."""
    return os.environ | {
        "CXX": f"c++ -I{ROOT}",
        "LD_LIBRARY_PATH": str(driver),
        "PYTHON": sys.executable,
    }


def check(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs `check` of a folder of make_folder()."""
    return subprocess.run(
        [folder / "check", *words],
        env=environment(folder / "driver"),
        capture_output=True,
        text=True,
        check=False,
    )
