# SPDX-License-Identifier: Apache-2.0
"""The folder of `roofscope extract`: `check` judges candidates in Python. There is no GPU: the
kernel and the candidates run on the CPU."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from launch_folder import IN, OTHER, check, make_folder

BETTER, NOT_BETTER, NOT_COMPARED, WRONG = 0, 1, 2, 3

pytestmark = pytest.mark.skipif(not shutil.which("c++"), reason="no c++")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("launch")
    make_folder(there)
    done = check(there)
    assert done.returncode == 0, done.stderr
    assert "replays byte-exactly; writes 160000 bytes, of which 160000 are poisoned" in done.stdout
    return there


def _judged(folder: Path, tmp_path: Path, body: str, *words: str) -> tuple[int, str]:
    """Exit code and reason for a candidate with this source."""
    source = tmp_path / "candidate.py"
    source.write_text(f"import array, ctypes, os, sys, time\n{body}\n")
    done = check(folder, source, "--json", *words)
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
    noted = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    assert [one["verdict"] for one in noted[-2:]] == ["not better", "better"]
    assert {one["candidate"] for one in noted} == {"candidate.py"}
    assert noted[-2]["digest"] != noted[-1]["digest"]


@pytest.mark.skipif(not shutil.which("nm"), reason="no nm")
def test_the_library_in_python_shows_nothing_but_its_functions(
    folder: Path, tmp_path: Path
) -> None:
    """A static libstdc++ would give PyTorch its locales, whose tables are laid out otherwise."""
    _judged(folder, tmp_path, RIGHT + "def candidate(x, y, n): scale(x, y, n)")
    words = ["nm", "-D", "--defined-only", folder / ".build/replay.so"]
    shown = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert sorted(line.split()[-1] for line in shown.splitlines()) == [
        "roofscope_replay_variable",
        "roofscope_replay_work",
    ]


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        (
            "def candidate(x, y, n): pass",
            WRONG,
            "160000 bytes of the result are wrong, first at argument 1",
        ),
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
        ("def candidate(x, y, n): os._exit(0)", WRONG, "the candidate ended the process"),
        ("def candidate(x, y, n): ctypes.string_at(8)", WRONG, "the candidate ended the process"),
        ("def candidate(x, y, n: 'f32'): assert n == 1", NOT_COMPARED, "raised AssertionError"),
        ("def candidate(x, y, n: 'i64'): pass", NOT_COMPARED, "has 4 bytes, not the 8 of i64"),
        ("def candidate(x, y, n: 'int'): pass", NOT_COMPARED, '"int": a type (bool, i8'),
        # An ordinary annotation, as text by `from __future__ import annotations`.
        ("def candidate(x: 'torch.Tensor', y, n): raise ValueError('no')", NOT_COMPARED, ": no"),
        ("def candidate(x: 'f32[9, 9999]', y, n): pass", NOT_COMPARED, "needs 89991 elements"),
        ("def candidate(x, y, n, *, device): pass", NOT_COMPARED, "asks for device"),
    ],
)
def test_verdicts(body: str, code: int, reason: str, folder: Path, tmp_path: Path) -> None:
    found, said = _judged(folder, tmp_path, body)
    assert found == code
    assert reason in said


def test_what_cannot_be_imported_later_is_imported_first(folder: Path, tmp_path: Path) -> None:
    crash = "os.kill(os.getpid(), 11)"
    body = f"if 'replay.so' in open('/proc/self/maps').read(): {crash}\n" + RIGHT
    body += "def candidate(x, y, n):\n    scale(x, y, n)\n    time.sleep(0.01)\n"
    assert _judged(folder, tmp_path, body)[0] == NOT_BETTER
    code, reason = _judged(folder, tmp_path, crash)
    assert code == NOT_COMPARED
    assert reason.startswith("Python ended while it imported the candidate (signal 11, ")


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
    done = check(folder, source, "--grid", "4")
    assert done.returncode == 64
    assert "only for CUDA" in done.stderr
