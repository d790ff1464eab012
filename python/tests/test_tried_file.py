# SPDX-License-Identifier: Apache-2.0
"""What `roofscope try PROFILE` notes beside a recording, and all that shows it."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT

import roofscope
from roofscope import _file_lock, _loop, _packets, _tried_file, _try
from roofscope._executable import executable

#: Steps take this time; `fast` is whether TF32 is allowed.
LOOP = """
import time, torch
fast = torch.get_float32_matmul_precision() == "high"
model = torch.nn.Module()
optimizer = torch.optim.SGD(model.parameters(), fused=True)
for step in range(16):
    time.sleep({time})
    model(torch.Tensor())
    optimizer.step()
    print(f"step {{step}} loss {{1 / (step + 1):.5f}}")
{end}
"""
FASTER, SLOWER = "0.008 if fast else 0.05", "0.03 if fast else 0.006"
CHAIN = "h200_torch_chain.roofscope.json.gz"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [str(ROOT / "python/tests/fake_torch"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))


def _recording(samples: Path, time: str, end: str = "") -> Path:
    """A recording whose command is a program with this step."""
    Path("train.py").write_text(LOOP.format(time=time, end=end))
    raw = json.loads(gzip.decompress((samples / CHAIN).read_bytes()))
    raw["capture"]["command"] = [sys.executable, "train.py"]
    path = Path("app.roofscope.json.gz")
    path.write_bytes(gzip.compress(json.dumps(raw).encode()))
    return path


def _report(path: Path, *options: str) -> str:
    words = [executable(), "report", path, *options]
    return subprocess.run(words, capture_output=True, check=True, encoding="utf-8").stdout


def _first(text: str) -> str:
    """What comes after "tried, ", up to the trial's name: the times."""
    assert "tried, " in text, text
    return text.partition("tried, ")[2].partition("`tf32`")[0].replace("**", "")


def test_all_say_what_a_trial_brought(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _recording(samples, FASTER)
    before = path.read_bytes()
    assert _try.main([str(path), "tf32", "--yes"]) == 0
    assert path.read_bytes() == before
    assert "noted in app.tried.json" in capsys.readouterr().err
    times = _first(_report(path))
    assert times.endswith(" ms per step with ")
    assert _first(_report(path, "--for-agent")) == times
    profile = roofscope.open(path)
    assert profile.program is not None
    assert _first(profile.program.actions[0].gain_text) == times
    assert [(t.name, t.outcome) for t in profile.program.trials] == [("tf32", "helped")]
    found = _packets.in_order(profile)[0]
    assert found.rule == "missing-tensor-core"
    assert _first(_packets.show(profile, found.id)) == times
    assert _loop.main([str(path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"next: {found.id}, tried, ")
    assert _first(said) == times


@pytest.mark.parametrize(("time", "end"), [(SLOWER, ""), (FASTER, "raise SystemExit(fast)")])
def test_all_drop_what_was_tried_in_vain(
    samples: Path, capsys: pytest.CaptureFixture[str], time: str, end: str
) -> None:
    path = _recording(samples, time, end)
    assert _loop.main([str(path)]) == 0
    assert "/missing-tensor-core" in capsys.readouterr().out
    assert _try.main([str(path), "tf32", "--yes"]) == 0
    capsys.readouterr()
    reason = "failed: `exit code 1" if end else "per step, "
    for text in (_report(path), _report(path, "--for-agent")):
        assert "Tried in vain: `Allow TF32` (" in text
        assert reason in text
        assert "Allow TF32 (torch" not in text  # the edit
    profile = roofscope.open(path)
    assert "missing-tensor-core" not in {f.rule for f in profile.findings if not f.minor}
    assert _loop.main([str(path)]) == 0  # the same recording has another first action now
    said = capsys.readouterr().out
    assert "missing-tensor-core" not in said
    assert said.startswith(("next: ", "stop: ", "cannot tell: "))


def test_another_recording_does_not_get_them(
    samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _recording(samples, FASTER)
    assert _try.main([str(path), "tf32", "--yes"]) == 0
    shutil.copy(samples / CHAIN, path)
    done = subprocess.run(
        [executable(), "report", path], capture_output=True, check=True, encoding="utf-8"
    )
    assert "tried" not in done.stdout
    assert "app.tried.json: its trials are those of another recording" in done.stderr
    # Trying again replaces them.
    text = _tried_file.noted(Path("app.tried.json"), _tried_file.digest(path), [])
    assert text is None


def test_another_command_is_not_noted(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _recording(samples, FASTER)
    assert _try.main([str(path), "tf32", "--", sys.executable, "train.py", "--short"]) == 0
    assert "another command was recorded" in capsys.readouterr().err
    assert not Path("app.tried.json").exists()
    # The same, written differently.
    script = str(Path("train.py").resolve())
    assert _try.main([str(path), "tf32", "--", sys.executable, script]) == 0
    assert Path("app.tried.json").exists()


def test_a_later_trial_replaces_only_its_like() -> None:
    def trial(name: str, after: float) -> dict:
        values = dict.fromkeys(_tried_file._KEPT)
        return {**values, "name": name, "outcome": "helped", "after_seconds": after}

    path = Path("app.tried.json")

    def note(recording: str, *trials: dict) -> dict:
        text = _tried_file.noted(path, recording, trials)
        assert text is not None
        path.write_text(text)
        return {one["name"]: one["after_seconds"] for one in json.loads(text)["trials"]}

    assert note("a", trial("tf32", 1), trial("bf16", 2)) == {"tf32": 1, "bf16": 2}
    assert note("a", trial("tf32", 3)) == {"tf32": 3, "bf16": 2}
    assert note("b", trial("bf16", 4)) == {"bf16": 4}
    path.write_text("{")
    assert note("b", trial("bf16", 5)) == {"bf16": 5}
    not_run = {**trial("bf16", 6), "outcome": "not-tried"}
    assert _tried_file.noted(path, "b", [not_run]) is None


def test_the_names_of_files() -> None:
    names = {
        "runs/app.roofscope.json.gz": "runs/app.tried.json",
        "app.roofscope.json": "app.tried.json",
        "x.json": "x.tried.json",
    }
    for recording, expected in names.items():
        assert _tried_file.place(Path(recording)) == Path(expected)


#: A program that writes what the injected library would, if it is recorded.
APP = r"""
if [ -n "$ROOFSCOPE_SPOOL_DIR" ]; then
f="$ROOFSCOPE_SPOOL_DIR/7-1.spool"
say() { printf '%s\n' "$@" >> "$f"; }
l='"k":0,"d":0,"s":0,"g":[1320,1,1],"b":[256,1,1],"o":8'
say '{"t":"process","pid":7}'
say '{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0,"sms":132}'
say '{"t":"kernel","id":0,"name":"copy","symbol":"copy","registers":32}'
say '{"t":"launch","n":0,'"$l"',"corr":5}' '{"t":"time","c":5,"b":1000,"e":2001000}'
say '{"t":"end"}'
fi
exit ${1:-0}
"""


@pytest.mark.parametrize(("program_ends", "ends"), [(0, 2), (3, 3)])
def test_record_goes_on_with_try(program_ends: int, ends: int) -> None:
    Path("library.so").write_text("not loaded by anybody")
    Path("app").write_text(APP)
    done = subprocess.run(
        [executable(), "record", "--try", "--effort", "quick", "sh", "app", str(program_ends)],
        env={**os.environ, "ROOFSCOPE_INJECT": str(Path("library.so").absolute())},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == ends, done.stderr
    assert Path("sh.roofscope.json").exists()
    tried = "no trial fits its actions" in done.stderr
    assert tried == (program_ends == 0), done.stderr
    assert ("nothing was tried: the recording ended with 3" in done.stderr) != tried


def test_results_that_are_noted_at_the_same_time_are_all_kept(samples: Path) -> None:
    path = _recording(samples, SLOWER)
    profile, recording = roofscope.open(path), _tried_file.digest(path)
    fields = dict.fromkeys(_tried_file._KEPT)
    names = [trial.name for trial in _try._trials.trials()]

    def note(name: str) -> None:
        trial = fields | {"name": name, "outcome": "slower"}
        judged = SimpleNamespace(command=profile.command, data=lambda: {"trials": [trial]})
        _try._note(judged, profile, recording)  # type: ignore[arg-type]

    writers = [threading.Thread(target=note, args=[name]) for name in names]
    place = _tried_file.place(path)
    with _file_lock.locked(place):
        for writer in writers:
            writer.start()
        time.sleep(0.3)
        assert not place.exists()
    for writer in writers:
        writer.join()
    noted = json.loads(place.read_text())["trials"]
    assert sorted(trial["name"] for trial in noted) == sorted(names)
