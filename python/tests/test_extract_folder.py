# SPDX-License-Identifier: Apache-2.0
"""The folder of `roofscope extract`: `check` judges candidates in Python. There is no GPU: the
kernel and the candidates run on the CPU (tests/extract/fake_cuda.cpp)."""

import array
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHUNK = 64 * 1024
COUNT = 40_000
IN, OUT, OTHER = 0x6A0000000000, 0x6A0000400000, 0x6A0000800000
BETTER, NOT_BETTER, NOT_COMPARED, WRONG = 0, 1, 2, 3

pytestmark = pytest.mark.skipif(not shutil.which("c++"), reason="no c++")


def _cubin() -> bytes:
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a launch of scale(in, out, n): out[i] = 3 in[i]."""
    there = tmp_path_factory.mktemp("launch")
    library = there / "driver"
    library.mkdir()
    words = ["c++", "-std=c++20", "-O2", "-shared", "-fPIC", "-o", library / "libcuda.so.1"]
    subprocess.run([*words, ROOT / "tests/extract/fake_cuda.cpp"], check=True)
    before = array.array("f", [i % 1000 for i in range(COUNT)])
    after = array.array("f", [3 * x for x in before])
    old = bytes(4 * COUNT)
    _write_memory(
        there,
        [
            (before.tobytes(), before.tobytes()),
            (old, after.tobytes()),
            (b"other" * 200, b"other" * 200),
        ],
    )
    launch = {
        "format": "roofscope-launch", "version": 1, "symbol": "scale", "grid": [1, 1, 1],
        "name": "scale(float const*, float*, int)", "block": [32, 1, 1], "cluster": None,
        "dynamic_shared_bytes": 0, "cooperative": False, "gpu": "a fake GPU", "compute": [9, 0],
        "modules": ["module-0.cubin"], "variables": [], "notes": [],
        "parameters": [
            {"offset": 0, "bytes": 8, "value": struct.pack("<Q", IN).hex(), "type": "f32*"},
            {"offset": 8, "bytes": 8, "value": struct.pack("<Q", OUT).hex(), "type": "f32*"},
            {"offset": 16, "bytes": 4, "value": struct.pack("<i", COUNT).hex(), "type": "i32"},
        ],
        "memory": [
            {"address": hex(IN), "bytes": 4 * COUNT, "kind": "device"},
            {"address": hex(OUT), "bytes": 4 * COUNT, "kind": "device"},
            {"address": hex(OTHER), "bytes": 1000, "kind": "device"},
        ],
    }  # fmt: skip
    (there / "launch.json").write_text(json.dumps(launch))
    (there / "module-0.cubin").write_bytes(_cubin())
    (there / "arch").write_text("sm_90a\n")
    # As in `roofscope extract`, which puts the headers in it.
    (there / "replay.cpp").write_text('#include "extract/driver/replay.cpp"\n')
    for name, as_ in (("check.sh", "check"), ("candidate_runner.py", "candidate_runner.py")):
        shutil.copy(ROOT / "extract/folder" / name, there / as_)
    (there / "check").chmod(0o755)
    done = _check(there)
    assert done.returncode == 0, done.stderr
    assert "replays byte-exactly; writes 160000 bytes, of which 160000 are poisoned" in done.stdout
    return there


def _check(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "CXX": f"c++ -I{ROOT}",
        "LD_LIBRARY_PATH": str(folder / "driver"),
        "PYTHON": sys.executable,
    }
    return subprocess.run(
        [folder / "check", *words], env=environment, capture_output=True, text=True, check=False
    )


def _judged(folder: Path, tmp_path: Path, body: str, *words: str) -> tuple[int, str]:
    """Exit code and reason for a candidate with this source."""
    source = tmp_path / "candidate.py"
    source.write_text(f"import array, ctypes, os, sys, time\n{body}\n")
    done = _check(folder, source, "--json", *words)
    assert done.stdout, done.stderr
    verdict = json.loads(done.stdout)
    assert {"better": 0, "not better": 1, "not compared": 2, "wrong": 3}[
        verdict["verdict"]
    ] == done.returncode
    return done.returncode, verdict["reason"]


#: What the candidates write: the right result.
RIGHT = """
def scale(x, y, n, by=3):
    values = array.array("f", ctypes.string_at(x.pointer, 4 * n))
    ctypes.memmove(y.pointer, array.array("f", [v * by for v in values]).tobytes(), 4 * n)
"""


def test_a_right_candidate_is_timed(folder: Path, tmp_path: Path) -> None:
    body = RIGHT + "def candidate(x, y, n):\n    print('hello')\n    scale(x, y, n)\n"
    code, reason = _judged(folder, tmp_path, body + "    time.sleep(0.01)\n")
    assert (code, reason.split(";")[0]) == (NOT_BETTER, "same bytes")
    fast = (
        "RIGHT = None\n"
        "def candidate(x, y, n):\n"
        "    global RIGHT\n"
        "    if not RIGHT:\n"
        "        values = array.array('f', ctypes.string_at(x.pointer, 4 * n))\n"
        "        RIGHT = array.array('f', [v * 3 for v in values]).tobytes()\n"
        "    ctypes.memmove(y.pointer, RIGHT, 4 * n)\n"
    )
    code, reason = _judged(folder, tmp_path, fast)
    assert code == BETTER, reason


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        ("def candidate(x, y, n): pass", WRONG, "bytes of the result are wrong, first at argument 1"),
        (RIGHT + "def candidate(x, y, n): scale(x, y, n, 3.001)", WRONG, "of the result are wrong"),
        (
            RIGHT + "def candidate(x, y, n):\n    scale(x, y, n)\n"
            f"    ctypes.memset({OTHER}, 0, 4)",
            WRONG,
            "4 bytes that the original does not write",
        ),
        ("def candidate(x, y): pass", NOT_COMPARED, "candidate() takes 2 parameters, the kernel 3"),
        ("def other(x, y, n): pass", NOT_COMPARED, "has no function candidate()"),
        ("candidate = (", NOT_COMPARED, "the candidate raised SyntaxError"),
        ("import no_such_module", NOT_COMPARED, "raised ModuleNotFoundError: No module named"),
        ("def candidate(x, y, n): raise ValueError('no')", NOT_COMPARED, "raised ValueError: no"),
        ("def candidate(x, y, n): sys.exit(0)", NOT_COMPARED, "raised SystemExit"),
        ("def candidate(x, y, n): os._exit(0)", WRONG, "the candidate did not end"),
        ("def candidate(x, y, n): ctypes.string_at(8)", WRONG, "the candidate did not end"),
        ("def candidate(x, y, n: 'f32'): assert n == 1", NOT_COMPARED, "raised AssertionError"),
        ("def candidate(x, y, n: 'i64'): pass", NOT_COMPARED, "has 4 bytes, not the 8 of i64"),
        ("def candidate(x, y, n: 'int'): pass", NOT_COMPARED, '"int": a type (bool, i8'),
        ("def candidate(x: 'f32[9, 9999]', y, n): pass", NOT_COMPARED, "needs 89991 elements"),
        ("def candidate(x, y, n, *, device): pass", NOT_COMPARED, "asks for device"),
    ],
)
def test_verdicts(body: str, code: int, reason: str, folder: Path, tmp_path: Path) -> None:
    found, said = _judged(folder, tmp_path, body)
    assert found == code
    assert reason in said


def test_arguments_have_the_types_of_the_launch(folder: Path, tmp_path: Path) -> None:
    body = RIGHT + (
        "def candidate(x, y: 'f32[200, -1]', n: 'i32', *, stream, variables):\n"
        f"    assert (x.pointer, x.bytes, x.type, x.shape) == ({IN}, 160000, 'f32', (40000,))\n"
        "    assert y.shape == (200, 200) and n == 40000 and variables == {}\n"
        "    assert y.__cuda_array_interface__['typestr'] == '<f4'\n"
        "    assert isinstance(stream, int)\n"
        "    scale(x, y, n)\n"
        "    time.sleep(0.01)\n"
    )
    assert _judged(folder, tmp_path, body)[0] == NOT_BETTER


def test_a_tolerance_stands_in_the_source(folder: Path, tmp_path: Path) -> None:
    body = RIGHT + "def candidate(x, y, n):\n    scale(x, y, n, 3.001)\n    time.sleep(0.01)\n"
    code, reason = _judged(folder, tmp_path, "# roofscope: type f32 tolerance 1e-2\n" + body)
    assert (code, reason.split(",")[0]) == (NOT_BETTER, "results within the tolerance")
    source = tmp_path / "candidate.py"
    done = _check(folder, source, "--grid", "4")
    assert done.returncode == 64
    assert "only for CUDA" in done.stderr
