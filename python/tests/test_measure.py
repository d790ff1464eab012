# SPDX-License-Identifier: Apache-2.0
"""roofscope.measure on the fake GPU. For a real one see tests/gpu/measure_check.py."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import roofscope

HERE = Path(__file__).parent
FAKE = Path(os.environ.get("ROOFSCOPE_FAKE_GPU", HERE.parents[1] / "build/lib/fake_gpu"))
needs_fake = pytest.mark.skipif(
    not (FAKE / "libfake_launches.so").exists(), reason="the stand-in for a GPU was not built"
)
START = """
import sys
sys.path.insert(0, {here!r})
import warnings
warnings.simplefilter("error")
import roofscope
from fake_gpu import content, kernel, subscriber, traced
a, b = kernel("first"), kernel("second")
"""


def environment(counters: str = "readable") -> dict[str, str]:
    """Environment variables for a program on the fake GPU."""
    return {
        "LD_LIBRARY_PATH": str(FAKE),
        "ROOFSCOPE_CUPTI": str(FAKE / "libfake_cupti.so"),
        "ROOFSCOPE_FAKE_GPU": str(FAKE),
        "ROOFSCOPE_FAKE_COUNTERS": counters,
    }


def run(code: str, counters: str = "readable") -> str:
    """Runs a program on the fake GPU, which must succeed; returns its output."""
    done = subprocess.run(
        [sys.executable, "-c", START.format(here=str(HERE)) + textwrap.dedent(code)],
        env=os.environ | environment(counters),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_fake
def test_a_function_is_measured_twice_in_a_row() -> None:
    run("""
        calls = []
        def step(blocks, *, times):
            calls.append(blocks)
            for _ in range(times):
                a(blocks, {3: 5000, 4: 7000, 5: 6000}.get(len(calls), 9000))
            b(7, 90_000)
            return "ignored"

        for turn in (1, 2):
            del calls[:]
            profile = roofscope.measure(step, 3, times=2, warmup=2, repeats=3)
            # one by one, too: the stand-in has no multiprocessors, so instrumentation looks dear
            assert calls == [3] * (2 + 3 + 1 + 2), calls
            second, first = profile.kernels
            assert (first.name, first.launches) == ("first", 2), first
            assert (second.name, second.launches, second.grid) == ("second", 1, (7, 1, 1))
            # the median of 5, 7 and 6 µs; the call one by one took longer
            assert abs(first.duration.median - 6e-6) < 1e-12, first.duration
            assert abs(second.duration.median - 90e-6) < 1e-12
            p = content(profile.path)
            assert p["capture"]["command"][-1] == "roofscope.measure(__main__.step)", p["capture"]
            assert p["capture"]["timing_runs"] == 4
            for counter in "dram__bytes_read.sum", "smsp__sass_inst_executed.sum":
                assert p["counters"][counter] == [3, 3, 7], p["counters"][counter]
            assert not [i for i in p["issues"] if i["severity"] != "info"], p["issues"]
            assert subscriber() == 0 and not traced()
    """)


@needs_fake
def test_without_counters() -> None:
    run("""
        calls = []
        def step():
            calls.append(1)
            a(3, 1000)
        profile = roofscope.measure(step, warmup=0, repeats=1, groups=())
        assert len(calls) == 1, calls
        assert "counters" not in content(profile.path) or not content(profile.path)["counters"]
        assert profile.kernels[0].duration.median is not None
    """)


@needs_fake
def test_counters_that_may_not_be_read_are_one_error_with_a_remedy() -> None:
    run(
        """
        try:
            roofscope.measure(lambda: a(3, 1000))
            raise SystemExit("measured what it may not")
        except roofscope.MeasureError as error:
            said = str(error)
            assert error.exit_code == 77, (error.exit_code, said)
            assert "NVreg_RestrictProfilingToAdminUsers" in said, said
            assert "roofscope doctor" in said, said
        assert subscriber() == 0 and not traced()
        assert roofscope.measure(lambda: a(3, 1000), groups=()).kernels
    """,
        counters="refused",
    )


@needs_fake
def test_an_exception_of_the_function_comes_through() -> None:
    run("""
        def step():
            a(3, 1000)
            if traced(): raise KeyError("mine")
        for _ in 1, 2:
            try:
                roofscope.measure(step)
                raise SystemExit("no exception")
            except KeyError:
                pass
            assert subscriber() == 0 and not traced()
        assert roofscope.measure(lambda: a(3, 1000)).kernels
    """)


@needs_fake
def test_who_cannot_be_measured() -> None:
    run("""
        def no(fn, words):
            try:
                roofscope.measure(fn)
            except roofscope.MeasureError as error:
                assert words in str(error), error
            else:
                raise SystemExit(f"expected: {words}")

        no(lambda: None, "launched no kernel")
        no(lambda: roofscope.measure(lambda: a(1, 1)), "already being recorded")
        import ctypes, fake_gpu
        cupti = ctypes.CDLL(str(fake_gpu.FOLDER / "libfake_cupti.so"))
        holder = ctypes.c_void_p.in_dll(cupti, "roofscope_fake_subscriber")
        holder.value = 1
        no(lambda: None, "another tool (Nsight, torch.profiler, Proton) is attached")
        assert holder.value == 1
        holder.value = None
        assert roofscope.measure(lambda: a(3, 1000)).kernels
    """)


@needs_fake
def test_ranges_and_decorators() -> None:
    run("""
        @roofscope.range("decode")
        def decode():
            with roofscope.range("layer"):
                a(3, 2000)
            b(5, 1000)

        @roofscope.measured(warmup=0, repeats=1)
        def step():
            decode()
            a(3, 1000)

        decode()  # not measured: nothing happens
        profile = step()
        found = {(k.name.split(" [")[0], k.range) for k in profile.kernels}
        assert found == {("first", "decode > layer"), ("second", "decode"), ("first", None)}, found
        assert step.__name__ == "step"
    """)


@needs_fake
def test_under_record(tmp_path: Path) -> None:
    out = tmp_path / "recorded.roofscope.json.gz"
    code = """
        import ctypes, os
        ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()  # as the driver
        with roofscope.range("decode"):
            a(3, 1000)
        try:
            roofscope.measure(lambda: a(3, 1000), warmup=0)
            raise SystemExit("measured while it is recorded")
        except roofscope.MeasureError as error:
            assert "already being recorded" in str(error), error
    """
    program = [sys.executable, "-c", START.format(here=str(HERE)) + textwrap.dedent(code)]
    command = [str(roofscope.executable()), "record", "--timing-only", "--out", str(out), "--"]
    done = subprocess.run(
        [*command, *program],
        env=os.environ | environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [k.range for k in roofscope.open(out).kernels] == ["decode"]


@needs_fake
def test_launches_that_differ_are_said() -> None:
    run("""
        calls = []
        def step():
            calls.append(1)
            a(3, 1000)
            if len(calls) > 4:  # with counters
                b(len(calls), 1000)
        warnings.simplefilter("always")
        profile = roofscope.measure(step, warmup=0, repeats=3)
        codes = [i["code"] for i in content(profile.path)["issues"]]
        assert "launch-sequence-differs" in codes, codes
    """)


@needs_fake
def test_the_profile_lives_as_long_as_it_is_held() -> None:
    run("""
        import pathlib, tempfile
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "kept.roofscope.json.gz"
            assert roofscope.measure(lambda: a(3, 1000), out=kept).path == kept
            profile = roofscope.measure(lambda: a(3, 1000))
            path = profile.path
            assert path.exists() and profile.compare(kept).comparable
            del profile
            assert not path.exists() and kept.exists()
    """)


@needs_fake
def test_a_child_of_fork_is_left_alone() -> None:
    run("""
        import os
        def step():
            child = os.fork()
            if child == 0:
                a(9, 1000)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            a(3, 1000)
        warnings.simplefilter("ignore")  # of fork() beside threads
        assert [k.grid for k in roofscope.measure(step).kernels] == [(3, 1, 1)]
    """)


@needs_fake
def test_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    cells = [START.format(here=str(HERE)), "roofscope.measure(lambda: a(3, 30_000))"] * 2
    cells.insert(1, 'warnings.simplefilter("default")')  # of the notebook's own
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    for cell in book.cells[2], book.cells[4]:
        (shown,) = cell.outputs
        assert "base64," in shown.data["text/html"]
        assert "first" in shown.data["text/markdown"]


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="there is a GPU")
def test_no_gpu_is_the_same_error() -> None:
    with pytest.raises(roofscope.MeasureError, match="roofscope doctor") as failed:
        roofscope.measure(lambda: None)
    assert str(failed.value).count("could not be loaded") <= 1


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="repeats"):
        roofscope.measure(lambda: None, repeats=0)
