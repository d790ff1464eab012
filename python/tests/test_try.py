# SPDX-License-Identifier: Apache-2.0
"""`roofscope try` as users see it, on programs with a fake torch, without a GPU."""

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT

import roofscope
from roofscope import _loop, _loop_trials, _try, _try_cuda, _try_reports, _try_run
from roofscope._executable import RoofscopeError

REAL_POPEN = subprocess.Popen
FAKE_TORCH = ROOT / "python/tests/fake_torch"

#: A loop whose step takes 12 ms, and 4 ms with TF32. `extra` runs at its end.
LOOP = """
import sys, time, torch
fast = torch.get_float32_matmul_precision() == "high"
model = torch.nn.Module()
optimizer = torch.optim.SGD(model.parameters(), fused=True)
for step in range(16):
    time.sleep(0.004 if fast else 0.012)
    model(torch.Tensor())
    optimizer.step()
    print(f"step {{step}} loss {{1 / (step + 1) + ({error} if fast else 0):.5f}}")
{extra}
"""


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Without an installed wheel, conftest.py names the source tree.
    folders = [str(FAKE_TORCH), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))


def _program(tmp_path: Path, error: float = 0.0, extra: str = "") -> list[str]:
    (tmp_path / "train.py").write_text(LOOP.format(error=error, extra=extra))
    return ["--", sys.executable, "train.py"]


def _tried(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict:
    assert _try.main(["--json", *arguments]) == code
    data = json.loads(capsys.readouterr().out)
    return {**data, "trials": {trial["name"]: trial for trial in data["trials"]}}


def _fails(*arguments: str) -> tuple[int, str]:
    with pytest.raises(RoofscopeError) as caught:
        _try.main(list(arguments))
    return caught.value.exit_code, str(caught.value)


def test_a_trial_that_helps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = _tried(capsys, "tf32", "--out", "r.json", *_program(tmp_path, error=2e-4))
    assert data["time"]["per"] == "step"
    assert data["time"]["how"] == (
        "time from one SGD.step() to the next, by the CPU's clock: median of the second half of 16"
    )
    assert len(data["plain"]["runs"]) == 3  # a warm-up, and two in turns with the trial
    tf32 = data["trials"]["tf32"]
    assert tf32["outcome"] == "helped"
    assert len(tf32["runs"]) == 2
    assert 0.004 <= tf32["after_seconds"] < 0.010 < tf32["before_seconds"]
    assert tf32["results"]["kept"] is True
    assert 0 < tf32["results"]["largest_difference"] < 0.01
    assert tf32["memory_bytes"] is None
    assert tf32["sentence"].startswith("Allow TF32: tried, ")
    assert "ms per step (printed numbers within 0." in tf32["sentence"]
    assert json.loads(Path("r.json").read_text())["trials"][0] == tf32
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.json", "train.py"]


def test_changed_results_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = _program(tmp_path, error=0.05)
    data = _tried(capsys, "tf32", *program)
    assert data["trials"]["tf32"]["outcome"] == "results-changed"
    assert data["trials"]["tf32"]["results"]["kept"] is False
    assert data["trials"]["tf32"]["results"]["where"] == "step # loss #"
    assert _tried(capsys, "tf32", "--tolerance", "0.9", *program)["trials"]["tf32"]["outcome"] == (
        "helped"
    )
    assert _try.main(["tf32", *program]) == 0
    assert "faster, but results changed" in capsys.readouterr().out


def test_noise_is_called_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = _program(tmp_path)
    trial = _tried(capsys, "cudnn-benchmark", *program)["trials"]["cudnn-benchmark"]
    assert trial["outcome"] == "within-noise"
    assert abs(trial["after_seconds"] - trial["before_seconds"]) <= trial["noise_seconds"]
    assert "within the noise" in trial["sentence"]
    assert _try.main(["cudnn-benchmark", *program]) == 0
    said = capsys.readouterr().out
    assert "are noise)" in said
    assert "No trial helped." in said


def test_plain_runs_that_differ_make_noise() -> None:
    from roofscope._try_result import Judged, Tried

    def run(seconds: float, spread: float = 0) -> _try_run.Run:
        steps = {"what": "SGD.step()", "count": 9, "seconds": seconds, "clock": "gpu"}
        steps["spread"] = spread
        report = {"frameworks": ["torch"], "changed": 1, "steps": steps}
        return _try_run.Run(1.0, 0, "loss 0.5", "", [report])

    tf32 = next(t for t in _try._trials.trials() if t.name == "tf32")
    plain = [run(0.010), run(0.014)]
    for seconds, outcome in ((0.009, "within-noise"), (0.0079, "helped"), (0.017, "slower")):
        judged = Judged([], plain, plain, [Tried(tf32, runs=[run(seconds)])], tolerance=0.01)
        assert judged.outcomes[0].state == outcome
        assert judged.noise == pytest.approx(0.004)
    # A trial whose own steps or runs differ as much proves nothing.
    for runs, why in (
        ([run(0.006, spread=0.007)], "its own steps differ by 7.00 ms"),
        ([run(0.002), run(0.009)], "its own runs took 2.00 ms and 9.00 ms"),
    ):
        judged = Judged([], plain, plain, [Tried(tf32, runs=runs)], tolerance=0.01)
        assert (judged.outcomes[0].state, judged.outcomes[0].why) == ("within-noise", why)


def test_a_program_that_prints_other_numbers_each_time_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = LOOP.format(error=0, extra="").replace("1 / (step + 1)", "time.time_ns() % 997 + 1")
    (tmp_path / "train.py").write_text(text)
    data = _tried(capsys, "tf32", "--", sys.executable, "train.py")
    assert data["results"]["compared"] == 0
    assert data["trials"]["tf32"]["results"]["kept"] is None
    assert data["trials"]["tf32"]["sentence"].endswith("(results not compared)")


def test_a_trial_that_breaks_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = _program(tmp_path, extra="if fast: sys.exit('cannot do that')")
    trial = _tried(capsys, "tf32", *program)["trials"]["tf32"]
    assert trial["outcome"] == "failed"
    assert trial["why"] == "exit code 1: cannot do that"
    assert trial["after_seconds"] is None
    assert len(trial["runs"]) == 1


def test_a_trial_that_cannot_be_applied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = _tried(capsys, "loader,jax-tf32,channels-last", *_program(tmp_path))
    assert {name: (one["outcome"], one["why"]) for name, one in data["trials"].items()} == {
        "loader": ("not-applied", "the hook found nothing to change"),
        "jax-tf32": ("not-tried", "the program imports no jax"),
        "channels-last": ("not-applied", "the hook found nothing to change"),
    }
    # Trials that the user did not name are skipped if their conditions say so.
    data = _tried(capsys, *_program(tmp_path))
    assert data["trials"]["loader"]["why"] == "the program makes no DataLoader"
    assert data["trials"]["loader"]["runs"] == []
    assert data["trials"]["tf32"]["outcome"] == "helped"


def test_any_program_is_timed_as_a_whole(capsys: pytest.CaptureFixture[str]) -> None:
    slow = 'test "$CUDA_MODULE_LOADING" = EAGER || sleep 0.3; echo sum 0.5'
    data = _tried(capsys, "eager-loading", "--", "sh", "-c", slow)
    assert data["time"] == {"per": "run", "how": "wall time of the whole run, with its start"}
    assert data["trials"]["eager-loading"]["outcome"] == "helped"
    assert "per " not in data["trials"]["eager-loading"]["sentence"]


def test_a_program_without_cuda_gets_no_trial_of_cuda(capsys: pytest.CaptureFixture[str]) -> None:
    slow = 'test "$CUDA_MODULE_LOADING" = EAGER || sleep 0.3; echo sum 0.5'
    data = _tried(capsys, "--", "sh", "-c", slow, code=2)
    for name in ("eager-loading", "connections"):
        trial = data["trials"][name]
        assert (trial["outcome"], trial["why"]) == ("not-tried", "the program uses no CUDA")


def test_cuda_is_seen_in_what_the_program_starts(tmp_path: Path) -> None:
    library = tmp_path / "libcuda.so.1"
    library.write_bytes(b"\0" * 4096)
    maps = (
        "import mmap, time; f = open('libcuda.so.1', 'rb'); "
        "m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); print('mapped', flush=True); "
        "time.sleep(60)"
    )
    command = ["sh", "-c", f'"$0" -c "{maps}"; true', sys.executable]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) as outer:
        assert outer.stdout and outer.stdout.readline() == b"mapped\n"
        try:
            assert _try_cuda.has_cuda(outer.pid)
        finally:
            for child in _try_cuda._children(outer.pid):
                os.kill(child, signal.SIGKILL)


def test_nothing_to_try_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    _tried(capsys, "jax-tf32", "--", "true", code=2)


def test_a_hanging_program_ends_at_the_limit() -> None:
    begin = time.monotonic()
    code, said = _fails("connections", "--time-limit", "1", "--", "sleep", "60")
    assert code == 75
    assert "did not end within 1 s" in said
    assert time.monotonic() - begin < 10


def test_a_trial_that_hangs_ends_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_try, "_MORE", 1.0)
    hangs = 'test "$CUDA_MODULE_LOADING" != EAGER || sleep 60; echo sum 0.5'
    data = _tried(capsys, "eager-loading,connections", "--", "sh", "-c", hangs)
    assert data["trials"]["eager-loading"]["outcome"] == "failed"
    assert "did not end within" in data["trials"]["eager-loading"]["why"]
    assert data["trials"]["connections"]["after_seconds"] > 0
    # If the time limit ends it, nobody knows whether it would have helped.
    words = ["eager-loading,connections", "--time-limit", "1.5", "--", "sh", "-c", hangs]
    monkeypatch.setattr(_try, "_MORE", 100.0)
    data = _tried(capsys, *words, code=2)
    assert data["trials"]["eager-loading"]["why"] == "the time limit (1.5 s) ended its run"


def _is_running(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


#: A child in a session of its own, with an empty environment, that ignores SIGTERM. A second one
#: has lost its parent.
_HIDES = """
import os, subprocess, sys, time
child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
def start():
    words = [sys.executable, "-c", child]
    return subprocess.Popen(words, start_new_session=True, env={}).pid
pids = [start(), os.getpid()]
if (orphan := os.fork()) == 0:
    open("orphan", "w").write(str(start()))
    os._exit(0)
os.waitpid(orphan, 0)
time.sleep(0.5)  # until they ignore SIGTERM
open("pids.part", "w").write(" ".join(map(str, [*pids, open("orphan").read()])))
os.rename("pids.part", "pids")
"""


def _hidden(tmp_path: Path, seconds: float) -> list[str]:
    (tmp_path / "hides.py").write_text(_HIDES + f"time.sleep({seconds})\n")
    return [sys.executable, "hides.py"]


def _all_end(tmp_path: Path) -> bool:
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 3
    end = time.monotonic() + 15
    while any(map(_is_running, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(_is_running, pids))


@pytest.mark.parametrize(("seconds", "code"), [(0, 0), (60, None)])
def test_what_the_program_starts_ends_with_it(
    tmp_path: Path, seconds: float, code: int | None
) -> None:
    with _try_run.Runner(_hidden(tmp_path, seconds)) as runner:
        begin = time.monotonic()
        run = runner.run(None, 3)
    assert run.code == code
    assert time.monotonic() - begin < 20
    assert _all_end(tmp_path)
    if code == 0:
        assert run.wall < 3  # without the 5 s that the children took


def test_kill_9_leaves_nothing_running(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "roofscope", "try", "connections", "--"]
    process = subprocess.Popen(
        [*command, *_hidden(tmp_path, 60)], stderr=subprocess.DEVNULL, env=environment
    )
    end = time.monotonic() + 30
    while not (tmp_path / "pids").exists() and time.monotonic() < end:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert _all_end(tmp_path)
    # Its folder goes with the next run.
    left = list(temporary.iterdir())
    assert len(left) == 1
    (temporary / "roofscope-other").mkdir(mode=0o700)
    subprocess.run([*command, "true"], capture_output=True, env=environment, check=True)
    assert [path.name for path in temporary.iterdir()] == ["roofscope-other"]


def test_a_guard_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_try_run, "_GRACE", 0.5)
    stops = "kill -STOP $(sed -n 's/PPid://p' /proc/$PPID/status); sleep 60"
    begin = time.monotonic()
    with _try_run.Runner(["sh", "-c", stops]) as runner:
        assert runner.run(None, 1).code is None
    assert time.monotonic() - begin < 20


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    code, said = _fails("connections", "--", str(program))
    assert code == 66
    assert said.startswith(f"{program}: cannot be started: No such file")
    # A program may end with the same code.
    code, said = _fails("connections", "--", "sh", "-c", "exit 66")
    assert (code, said.partition(",")[0]) == (69, "sh: exit code 66")


def test_a_signal_that_ends_the_program_is_named() -> None:
    code, said = _fails("connections", "--", "sh", "-c", "kill -SEGV $$")
    assert (code, said.partition(",")[0]) == (69, "sh: ended by signal 11")


def test_much_output_is_no_problem() -> None:
    with _try_run.Runner(["sh", "-c", "yes 0.5 | head -c 40000000; echo late >&2"]) as runner:
        run = runner.run(None, 60)
    assert run.code == 0
    assert len(run.output) < 9 << 20
    assert run.last_words == "late"


def test_the_last_words_are_the_error() -> None:
    text = "raise RuntimeError('no kernel')"
    advice = f"import sys\ntry: {text}\nfinally: sys.stderr.write('')"
    command = f'{sys.executable} -c "{advice}"; echo; echo "Set VERBOSE=1 for more" >&2; exit 1'
    with _try_run.Runner(["sh", "-c", command]) as runner:
        assert runner.run(None, 30).last_words == "RuntimeError: no kernel"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_shows_what_there_is(tmp_path: Path, number: signal.Signals) -> None:
    slow = 'echo $$ > pid; test "$CUDA_MODULE_LOADING" != EAGER || sleep 60; echo sum 0.5'
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "roofscope", "try", "connections,eager-loading"]
    process = subprocess.Popen(
        [*command, "--", "sh", "-c", slow],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "connections" in line:
            break
    time.sleep(0.5)
    process.send_signal(number)
    time.sleep(0.01)
    process.send_signal(number)  # impatient
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "\nconnections  " in out and " → " in out
    assert "Not tried: eager-loading: interrupted" in out
    assert not _is_running(int((tmp_path / "pid").read_text()))
    assert list(temporary.iterdir()) == []


def test_a_program_that_fails_is_not_tried() -> None:
    assert _fails("connections", "--", "sh", "-c", "echo no >&2; exit 3") == (
        69,
        "sh: exit code 3: no, without any trial (only a program that ends with 0 can be tried)",
    )
    assert _fails("connections", "--", "./none")[0] == 66
    assert _fails("connections", "--", "/")[0] == 77


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 64, "no program to try"),
        (["tf33,tf32", "--", "true"], 64, "no trial tf33"),
        (["python3", "train.py"], 64, "neither a trial nor a profile (roofscope try --list"),
        (["tf33", "--", "true"], 64, "(did you mean tf32? Else roofscope try --list"),
        (["--time-limit", "0", "--", "true"], 64, "try: --time-limit: not a number of seconds"),
        (["--time-limit", "nan", "--", "true"], 64, "try: --time-limit: not a number of seconds"),
        (["--tolerance", "2", "--", "true"], 64, "try: --tolerance: not a share"),
        (["none.roofscope.json"], 66, "no such profile"),
        (["--out", "none/r.json", "--", "true"], 73, "its folder does not exist"),
        (["--yess", "--", "true"], 64, "did you mean --yes?"),
    ],
)
def test_usage_errors(words: list[str], code: int, said: str) -> None:
    got, text = _fails(*words)
    assert got == code
    assert said in text


def test_the_list_names_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert _try.main(["--list"]) == 0
    text = capsys.readouterr().out
    assert _try.main(["--list", "--json"]) == 0
    for trial in json.loads(capsys.readouterr().out):
        assert f"{trial['name']}  (" in text
        assert trial["does"] in text


# A profile's command and actions.


def _profile(samples: Path, tmp_path: Path, command: list[str]) -> Path:
    """A recording whose first action is missing-tensor-core, with another command."""
    text = gzip.decompress((samples / "h200_torch_chain.roofscope.json.gz").read_bytes())
    raw = json.loads(text)
    raw["capture"]["command"] = command
    path = tmp_path / "app.roofscope.json"
    path.write_text(json.dumps(raw))
    return path


def test_actions_choose_the_trials(samples: Path) -> None:
    profile = roofscope.open(samples / "h200_torch_chain.roofscope.json.gz")
    found = _try.suggested(profile)
    assert [one.trial.name for one in found][:2] == ["tf32", "jax-tf32"]
    assert all(id_.endswith("/missing-tensor-core") for one in found[:2] for id_ in one.actions)
    assert "gc-off" not in {one.trial.name for one in found}


def test_a_profiles_command_needs_a_yes(
    samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _profile(samples, tmp_path, ["sh", "-c", "touch ran; echo sum 0.5\x1b[2J"])
    code, said = _fails(str(path))
    assert (code, "--yes" in said) == (64, True)
    assert not Path("ran").exists()
    shown = capsys.readouterr().err
    assert "touch ran" in shown
    assert "\x1b" not in shown
    assert _try.main([str(path), "connections", "--yes"]) == 0
    assert Path("ran").exists()


@pytest.mark.parametrize(("answer", "ran"), [("y\n", True), ("\n", False), ("no\n", False)])
def test_a_person_is_asked(samples: Path, tmp_path: Path, answer: str, ran: bool) -> None:
    path = _profile(samples, tmp_path, ["sh", "-c", "touch ran; echo sum 0.5"])
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "roofscope", "try", "connections", str(path)],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    os.close(theirs)
    os.write(ours, answer.encode())
    _, said = process.communicate(timeout=60)
    os.close(ours)
    assert "up to 5 times? [y/N]" in said
    assert (process.returncode == 0) == ran
    assert Path("ran").exists() == ran


def test_a_command_that_nobody_can_read_is_not_run(samples: Path, tmp_path: Path) -> None:
    long = _profile(samples, tmp_path, ["sh", "-c", "touch ran;" + " " * 3000])
    assert _fails(str(long), "--yes")[0] == 65
    none = _profile(samples, tmp_path, [])
    assert _fails(str(none), "--yes")[0] == 65
    assert not Path("ran").exists()


def test_the_profile_is_not_overwritten(samples: Path, tmp_path: Path) -> None:
    path = _profile(samples, tmp_path, ["true"])
    assert _fails(str(path), "--yes", "--out", str(path))[0] == 64


def test_a_profile_without_fitting_actions_is_2(
    samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = samples / "h200_atomics.roofscope.json.gz"
    assert _try.main([str(path), "--yes"]) == 2
    assert "no trial fits its actions" in capsys.readouterr().err


# The ledger.


def _results(path: Path, outcome: str) -> Path:
    trial = {
        "name": "tf32",
        "outcome": outcome,
        "sentence": "Allow TF32: tried, 44.2 → 27.9 ms per step",
        "suggested_by": ["missing-tensor-core"],
        "settles": ["missing-tensor-core"],
    }
    data = {"format": "roofscope-try", "schema": [1, 0], "trials": [trial]}
    path.write_text(json.dumps(data))
    return path


def test_the_loop_tells_what_was_tried(
    samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = str(samples / "h200_torch_chain.roofscope.json.gz")
    results = _results(tmp_path / "r.json", "helped")
    assert _loop.main([profile, "--tried", str(results)]) == 0
    said = capsys.readouterr().out
    assert "/missing-tensor-core, " in said
    assert "\n   Allow TF32: tried, 44.2 → 27.9 ms per step\n" in said
    assert _loop.main(["show"]) == 0
    assert "27.9 ms" in capsys.readouterr().out


@pytest.mark.parametrize("outcome", ["within-noise", "slower", "failed"])
def test_the_loop_drops_what_did_not_help(
    samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], outcome: str
) -> None:
    profile = str(samples / "h200_torch_chain.roofscope.json.gz")
    assert _loop.main([profile]) == 0
    assert "/missing-tensor-core, " in capsys.readouterr().out
    assert _loop.main(["--tried", str(_results(tmp_path / "r.json", outcome))]) == 0
    assert _loop.main([profile]) == 0
    said = capsys.readouterr().out
    assert "missing-tensor-core" not in said.split("next: ")[-1].splitlines()[0]
    assert "missing-tensor-core (a trial did not help)" in said
    # A later trial that helps brings it back.
    assert _loop.main(["--tried", str(_results(tmp_path / "r.json", "helped"))]) == 0
    ledger = _loop.read_ledger(Path("roofscope-loop.json"))
    assert len(ledger["trials"]) == 1
    assert _loop_trials.ruled_out(ledger) == set()


def test_damaged_results_are_refused(tmp_path: Path) -> None:
    path = _results(tmp_path / "r.json", "helped")
    good = json.loads(path.read_text())
    for bad in (
        [],
        {**good, "format": "other"},
        {**good, "schema": [2, 0]},
        {**good, "schema": []},
        {**good, "trials": [{**good["trials"][0], "outcome": "great"}]},
        {**good, "trials": [{**good["trials"][0], "settles": [1]}]},
        {**good, "trials": {}},
    ):
        path.write_text(json.dumps(bad))
        with pytest.raises(RoofscopeError) as caught:
            _loop_trials.read_results(path)
        assert caught.value.exit_code == 65
    with pytest.raises(RoofscopeError) as caught:
        _loop_trials.read_results(tmp_path / "none")
    assert caught.value.exit_code == 66
    ledger = tmp_path / "ledger.json"
    ledger.write_text(json.dumps({**_loop._new_ledger(), "trials": [1]}))
    with pytest.raises(RoofscopeError):
        _loop.read_ledger(ledger)


def test_what_try_writes_the_loop_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _try.main(["tf32,loader", "--out", "r.json", *_program(tmp_path)]) == 0
    assert [one["name"] for one in _loop_trials.read_results(Path("r.json"))] == ["tf32"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_moment_of_a_start_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    started: list[int] = []

    def popen(*words: object, **options: object) -> subprocess.Popen:
        process = REAL_POPEN(*words, **options)
        started.append(process.pid)
        os.kill(os.getpid(), number)  # before anybody knows the process
        return process

    monkeypatch.setattr(subprocess, "Popen", popen)
    before = signal.getsignal(number)
    assert _try.main(["connections", "--", "sleep", "60"]) == 128 + number
    assert len(started) == 1
    assert not _is_running(started[0])
    assert list(temporary.iterdir()) == []
    assert signal.getsignal(number) == before


def test_a_signal_while_the_folder_is_made_or_removed_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    def then_signal(function: Callable) -> Callable:
        def wrapped(*words: object, **options: object) -> object:
            try:
                return function(*words, **options)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)

        return wrapped

    for name, said in (("os.mkdir", 143), ("shutil.copyfile", 143), ("os.scandir", 143)):
        module, _, function = name.partition(".")
        with monkeypatch.context() as patch:
            patch.setattr(name, then_signal(getattr(sys.modules[module], function)))
            assert _try.main(["connections", "--", "true"]) == said, name
        assert list(temporary.iterdir()) == [], name


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        command = ["sh", "-c", f"kill -HUP {os.getpid()}"]
        assert _try.main(["connections", "--", *command]) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


_STEPS = {"what": "SGD.step()", "count": 40, "seconds": 0.1, "spread": 0.0, "clock": "gpu"}
_REPORT = {"frameworks": ["torch"], "changed": 1, "lasting": True, "problems": [], "steps": _STEPS}


@pytest.mark.parametrize(
    "change",
    [
        {"frameworks": [{}]},
        {"frameworks": ["\x1b[2J"]},
        {"changed": "q"},
        {"problems": 7},
        {"problems": [[]]},
        {"steps": {}},
        {"steps": _STEPS | {"count": None}},
        {"steps": _STEPS | {"seconds": float("nan")}},
        {"steps": _STEPS | {"seconds": -5}},
        {"steps": _STEPS | {"spread": float("inf")}},
        {"steps": _STEPS | {"clock": []}},
        {"peak_bytes": "z"},
        {"peak_bytes": -1},
        {"torch": 5},
        {"torch": {"optimizers": [{}]}},
        {"torch": {"optimizers": [{"name": [], "fused": 0, "foreach": 0}]}},
        {"torch": {"loaders": [1]}},
        {"torch": {"convolutions": 2}},
        {"more": 1},
    ],
)
def test_what_the_program_writes_in_place_of_the_hook_is_no_report(
    change: dict, tmp_path: Path
) -> None:
    (tmp_path / "1.json").write_text(json.dumps(_REPORT))
    (tmp_path / "2.json").write_text(json.dumps(_REPORT | change))
    assert list(_try_reports.read(tmp_path)) == [_REPORT]


def test_files_of_the_program_are_neither_waited_for_nor_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.json")
    (tmp_path / "2.json").symlink_to("/dev/zero")
    (tmp_path / "3.json").symlink_to(tmp_path / "9.json")
    (tmp_path / "4.json").mkdir()
    (tmp_path / "5.json").write_bytes(b" " * (1 << 20) + json.dumps(_REPORT).encode())
    (tmp_path / "6.json").write_bytes(b"\xff")
    (tmp_path / "7.json").write_text("[" * 100_000)
    (tmp_path / "9.json").write_text(json.dumps(_REPORT))
    assert list(_try_reports.read(tmp_path)) == [_REPORT]
    assert list(_try_reports.read(tmp_path / "none")) == []
    for number in range(1500):
        (tmp_path / f"9{number}.json").write_text(json.dumps(_REPORT))
    assert len(list(_try_reports.read(tmp_path))) < 1000
