# SPDX-License-Identifier: Apache-2.0
import dataclasses
import os
from pathlib import Path

import pytest

import roofscope
from roofscope._pytest_plugin import broken_limits

HERE = Path(__file__).resolve().parent
# Only needed in the source tree: an installed package registers its plugin.
PLUGIN = ("-p", "roofscope._pytest_plugin")


def _run(pytester: pytest.Pytester, test: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile("import pytest\n" + test)
    plugin = () if "ROOFSCOPE_TEST_INSTALLED" in os.environ else PLUGIN
    return pytester.runpytest_subprocess(*plugin, *options)


def _test(mark: str, body: str = "pass") -> str:
    return f"@pytest.mark.roofscope({mark})\ndef test_step():\n    {body}\n"


@pytest.fixture
def fake_record(monkeypatch: pytest.MonkeyPatch, samples: Path) -> None:
    monkeypatch.setenv("REAL_ROOFSCOPE", str(roofscope.executable()))
    monkeypatch.setenv("ROOFSCOPE_EXECUTABLE", str(HERE / "fake_roofscope.py"))
    monkeypatch.setenv("FAKE_RECORDING", str(samples / "h200_source.roofscope.json.gz"))
    monkeypatch.setenv("FAKE_DOCTOR", "0")


def test_limits_pass_and_fail(pytester: pytest.Pytester, bundled: roofscope.Profile) -> None:
    kept = f"profile={str(bundled.path)!r}, kernel='transposeTile<1>'"
    _run(pytester, _test(f"{kept}, max_bank_conflicts=0, max_dram_bytes=2e9")).assert_outcomes(
        passed=1
    )
    broken = kept.replace("<1>", "<0>")
    result = _run(pytester, _test(f"{broken}, max_bank_conflicts=1000"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*max_bank_conflicts: transposeTile<0> has 6*allowed 1,000*"])
    result = _run(pytester, _test(f"{kept}, max_dram_bytes=1e6"))
    result.stdout.fnmatch_lines(["*max_dram_bytes: 1,6*in all, allowed 1,000,000*"])


def test_a_missing_counter_is_no_pass(bundled: roofscope.Profile) -> None:
    kernel = dataclasses.replace(
        bundled.kernels[0], quantities={"dram_bytes": None}, missing={"dram_bytes": "not asked for"}
    )
    said = broken_limits([kernel], {"max_dram_bytes": 1e15, "max_bank_conflicts": 1e15})
    assert len(said) == 2
    assert said[0].endswith("has no dram_bytes: not asked for")


def test_no_kernel_is_no_pass(pytester: pytest.Pytester, bundled: roofscope.Profile) -> None:
    mark = f"profile={str(bundled.path)!r}, kernel='nothing', max_dram_bytes=1"
    _run(pytester, _test(mark)).assert_outcomes(failed=1)


def test_baseline_speaks_with_the_gates_words(
    pytester: pytest.Pytester, bundled: roofscope.Profile, with_source: roofscope.Profile
) -> None:
    mark = f"profile={str(bundled.path)!r}, baseline='perf.baseline'"
    _run(pytester, _test(mark), "--roofscope-update").assert_outcomes(passed=1)
    assert (pytester.path / "perf.baseline").is_file()
    _run(pytester, _test(mark)).assert_outcomes(passed=1)
    mark = f"profile={str(with_source.path)!r}, baseline='perf.baseline'"
    result = _run(pytester, _test(mark))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*kernels checked*"])


def test_without_counters_it_skips_and_says_why(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOFSCOPE_CUPTI", "/nowhere/libcupti.so")
    result = _run(pytester, _test("max_dram_bytes=1"), "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*SKIPPED*roofscope: failed*"])


@pytest.mark.usefixtures("fake_record")
def test_it_records_where_it_can(pytester: pytest.Pytester) -> None:
    body = "open('ran', 'a').write('x')"
    _run(pytester, _test("max_dram_bytes=1e15", body)).assert_outcomes(passed=1)
    assert (pytester.path / "ran").read_text() == "xx"  # once plain, once recorded
    _run(pytester, _test("max_dram_bytes=1", body)).assert_outcomes(failed=1)


def test_a_failing_test_is_not_recorded(pytester: pytest.Pytester) -> None:
    _run(pytester, _test("max_dram_bytes=1", "assert False")).assert_outcomes(failed=1)


def test_misspelt_limits_are_errors(pytester: pytest.Pytester) -> None:
    result = _run(pytester, _test("max_dram_byte=1"))
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*max_dram_byte: not known*"])


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("max_dram_byte=1", "max_dram_byte: not known (did you mean max_dram_bytes?)"),
        ("zzz=1", "zzz: not known (use max_dram_bytes, *"),
        ("1", "positional values: not known (use names: max_dram_bytes, *"),
        ("max_dram_bytes='many'", "max_dram_bytes is 'many': give a number, 0 or more"),
        ("max_dram_bytes=True", "max_dram_bytes is True: give a number, 0 or more"),
        ("max_dram_bytes=1, timeout=None", "timeout is None: give a number, 0 or more"),
        ("max_dram_bytes=1, profile=3", "profile is 3: give a file name"),
        ("max_dram_bytes=1, kernel=3", "kernel is 3: give a glob"),
        ("", "nothing to judge: give a limit or baseline=FILE"),
    ],
)
def test_a_bad_mark_is_one_sentence(pytester: pytest.Pytester, mark: str, said: str) -> None:
    result = _run(pytester, _test(mark))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"roofscope mark: {said}"])
    assert "_pytest_plugin.py" not in result.stdout.str()


def test_a_file_that_is_not_there_is_one_sentence(
    pytester: pytest.Pytester, bundled: roofscope.Profile
) -> None:
    (pytester.path / "text").write_text("no profile")
    good = f"profile={str(bundled.path)!r}"
    for mark, said in (
        ("profile='none', max_dram_bytes=1", "roofscope: no such profile: */none"),
        ("profile='text', max_dram_bytes=1", "roofscope: */text: byte *: not valid JSON *"),
        (
            f"{good}, baseline='none'",
            "*/none: no such baseline (pytest --roofscope-update writes it)",
        ),
        (f"{good}, baseline='text'", "roofscope: */text:1: not a baseline *"),
    ):
        result = _run(pytester, _test(mark))
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([said])
        assert "_pytest_plugin.py" not in result.stdout.str()
        assert "another exception" not in result.stdout.str()


def test_the_skip_fits_on_a_line_and_says_what_to_do(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOFSCOPE_CUPTI", "/nowhere/libcupti.so")
    result = _run(pytester, _test("max_dram_bytes=1"), "-rs")
    (line,) = [line for line in result.stdout.lines if line.startswith("SKIPPED")]
    # Where the test is, and the whole reason.
    assert ".py:2: roofscope: failed check " in line
    assert line.endswith("; `roofscope doctor` says what to do")
    assert len(line.partition(": roofscope: ")[2]) <= 80


@pytest.mark.usefixtures("fake_record")
def test_a_recording_that_does_not_end_is_one_sentence(pytester: pytest.Pytester) -> None:
    body = "import os, time; time.sleep(20 if 'ROOFSCOPE_PYTEST_INSIDE' in os.environ else 0)"
    result = _run(pytester, _test("max_dram_bytes=1, timeout=2", body))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["roofscope record did not end within 2 s *"])
