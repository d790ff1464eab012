# SPDX-License-Identifier: Apache-2.0
"""Runs each `run:` block of the workflows that `roofscope ci init` writes, in their order.

There is no GPU: fake_roofscope.py stands in for `doctor` and `record`. What only a hosted runner
has (actions, tokens, artifacts) is not run; docs/ci.md names it.
"""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT

import roofscope
from roofscope import _ci, _ci_comment
from roofscope._executable import RoofscopeError

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and importlib.util.find_spec("ensurepip")),
    reason="a runner has git and a Python that makes environments",
)
HERE = Path(__file__).resolve().parent
WHEEL = "roofscope-0.1.0-py3-none-any.whl"


def _make_wheel(path: Path, files: dict[str, bytes], more: str, scripts: str = "") -> None:
    name, version = path.name.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}"
    files = files | {
        f"{info}/METADATA": about.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": scripts.encode(),
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as wheel:
        for file, content in (files | {f"{info}/RECORD": record.encode()}).items():
            wheel.writestr(file, content)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of this package, and one that stands in for NVIDIA's."""
    folder = tmp_path_factory.mktemp("wheels")
    package = Path(roofscope.__file__).parent
    files = {
        f"roofscope/{file.relative_to(package)}": file.read_bytes()
        for file in package.rglob("*")
        if file.suffix in (".py", ".md")
    }
    _make_wheel(
        folder / WHEEL,
        files,
        "Provides-Extra: cuda13\nRequires-Dist: nvidia-cuda-cupti>=13.0,<14; extra == 'cuda13'\n",
        "[console_scripts]\nroofscope = roofscope.__main__:main\n",
    )
    _make_wheel(folder / "nvidia_cuda_cupti-13.0.1-py3-none-any.whl", {}, "")
    return folder


@dataclass
class Comments:
    """A server that answers as GitHub and GitLab do."""

    address: str
    texts: dict[int, str] = field(default_factory=dict)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    refuse: int = 0


@pytest.fixture
def comments() -> Iterator[Comments]:
    made = Comments("")

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")
            made.asked.append((self.command, self.path, token))
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            answer: object = {}
            if self.path.endswith("/user"):
                answer = {"id": 7}
            elif self.command == "GET":
                page = int(re.search(r"&page=(\d+)", self.path)[1])  # type: ignore[index]
                # Somebody else's comment with our mark is not ours to change.
                mark = _ci_comment.MARK
                theirs = {"user": {"type": "User"}, "author": {"id": 1}}
                own = {"user": {"type": "Bot"}, "author": {"id": 7}}
                every = [{"id": 99, "body": mark, **theirs}]
                every += [{"id": i, "body": text, **own} for i, text in made.texts.items()]
                answer = every[100 * (page - 1) : 100 * page]
            elif self.command == "POST":
                made.texts[len(made.texts) + 1] = body["body"]
            else:
                made.texts[int(self.path.rpartition("/")[2])] = body["body"]
            self.send_response(made.refuse or 200)
            if made.refuse in (301, 307):
                self.send_header("Location", f"{made.address}/elsewhere")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST = do_PATCH = do_PUT = _answer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield made
    server.shutdown()


@pytest.fixture
def checkout(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository as a runner has checked it out, with the wheel that the user names."""
    folder = tmp_path / "checkout"
    (folder / "dist").mkdir(parents=True)
    (folder / "dist" / WHEEL).write_bytes((wheels / WHEEL).read_bytes())
    (folder / "app.sh").write_text("#!/bin/sh\necho ran $1 >> ran\n")
    monkeypatch.chdir(folder)
    return folder


def _environment(folder: Path, wheels: Path, recording: Path, comments: Comments) -> dict[str, str]:
    """Variables of an empty runner, and of the stand-ins for GPU and network."""
    python = Path(sys.executable).resolve().parent
    home, guard = folder.parent / "home", folder.parent / "guard"
    for made in (home, guard):
        made.mkdir(exist_ok=True)
    # Nothing is installed on the machine that runs the test.
    (guard / "apt-get").write_text("#!/bin/sh\nexit 1\n")
    (guard / "apt-get").chmod(0o755)
    return {
        "PATH": f"{guard}:{python}:/usr/bin:/bin",
        "HOME": str(home),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "ROOFSCOPE_EXECUTABLE": str(HERE / "fake_roofscope.py"),
        "REAL_ROOFSCOPE": str(roofscope.executable()),
        "FAKE_DOCTOR": "0",
        "FAKE_RECORDING": str(recording),
        "COMMENTS": comments.address,
    }


@dataclass
class Outcome:
    """What a job did: the exit code and output of each block, by its name."""

    codes: dict[str, int] = field(default_factory=dict)
    said: str = ""


def _github_blocks(text: str) -> list[tuple[str, str, bool]]:
    """Name, text and whether it always runs, of each `run:` block."""
    found = re.findall(
        r"^      - name: (.*)\n((?:        (?!run:).*\n)*)        run: \|\n((?:          .*\n)+)",
        text,
        re.M,
    )
    return [
        (name, re.sub(r"^ {10}", "", run, flags=re.M), "always()" in head)
        for name, head, run in found
    ]


def _gitlab_blocks(text: str) -> list[tuple[str, str]]:
    found = re.findall(r"^    # (.*)\n    - \|\n((?:      .*\n)+)", text, re.M)
    return [(name, re.sub(r"^ {6}", "", run, flags=re.M)) for name, run in found]


def _run_github(folder: Path, environment: dict[str, str]) -> Outcome:
    """Runs the blocks as GitHub's runner does: `bash -e`, each in a process of its own."""
    temporary = folder.parent / "runner"
    temporary.mkdir(exist_ok=True)
    path_file, summary = temporary / "path", temporary / "summary"
    path_file.write_text("")
    summary.write_text("")
    environment = environment | {
        "RUNNER_TEMP": str(temporary),
        "GITHUB_PATH": str(path_file),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_BASE_REF": "main",
        "GITHUB_REF": "refs/pull/12/merge",
        "GITHUB_REPOSITORY": "ann/app",
        "GITHUB_API_URL": environment["COMMENTS"],
        "GITHUB_TOKEN": "secret-token",
    }
    outcome = Outcome()
    text = (folder / ".github/workflows/roofscope.yml").read_text()
    for name, run, always in _github_blocks(text):
        if any(outcome.codes.values()) and not always:
            continue
        if always and not (folder / "gate.md").exists():  # the step's `if:`
            continue
        script = temporary / "script.sh"
        script.write_text(run)
        added = [line for line in path_file.read_text().splitlines()[::-1] if line]
        done = subprocess.run(
            ["bash", "-e", str(script)],
            cwd=folder,
            env=environment | {"PATH": ":".join([*added, environment["PATH"]])},
            capture_output=True,
            text=True,
            check=False,
        )
        outcome.codes[name] = done.returncode
        outcome.said += done.stdout + done.stderr
    outcome.said += summary.read_text()
    return outcome


def _run_gitlab(folder: Path, environment: dict[str, str]) -> Outcome:
    """Runs the blocks as GitLab's runner does: one shell for all."""
    text = (folder / ".gitlab/roofscope.yml").read_text()
    script = folder.parent / "script.sh"
    script.write_text("".join(run for _, run in _gitlab_blocks(text)))
    done = subprocess.run(
        ["bash", "-eo", "pipefail", str(script)],
        cwd=folder,
        env=environment
        | {
            "GITLAB_CI": "true",
            "CI_PROJECT_DIR": str(folder),
            "CI_PROJECT_ID": "7",
            "CI_MERGE_REQUEST_IID": "12",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_API_V4_URL": environment["COMMENTS"],
            "ROOFSCOPE_TOKEN": "secret-token",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome({"job": done.returncode}, done.stdout + done.stderr)


def _init(*more: str) -> None:
    assert _ci.main(["init", "--wheel", f"dist/{WHEEL}", *more]) == 0


WITH_GPU = ("--build", "chmod +x app.sh", "--program", "./app.sh 'two words'")


def test_github_runs_from_an_empty_runner(
    checkout: Path, wheels: Path, samples: Path, comments: Comments
) -> None:
    _init(*WITH_GPU)
    good = samples / "h200_source.roofscope.json.gz"
    environment = _environment(checkout, wheels, good, comments)
    first = _run_github(checkout, environment)
    assert first.codes == {
        "Install roofscope": 0,
        "Can counters be read here?": 0,
        "Build": 0,
        "Record": 0,
        "Gate": 2,
    }, first.said
    assert "perf.baseline is new: commit it from the artifact" in first.said
    assert (checkout / "ran").read_text() == "ran two words\n"
    assert comments.texts == {}

    second = _run_github(checkout, environment)
    assert set(second.codes.values()) == {0}, second.said
    assert list(second.codes)[-2:] == ["Gate", "Comment"]
    assert "pass: 3 kernels checked" in second.said
    assert comments.texts[1].startswith(f"{_ci_comment.MARK}\n# GPU performance gate: pass")
    assert json.loads((checkout / "gate.sarif").read_text())["version"] == "2.1.0"
    assert ElementTree.parse(checkout / "gate.xml").getroot().tag == "testsuites"

    baseline = checkout / "perf.baseline"
    accepted = baseline.read_text()
    baseline.write_text(re.sub("(registers_per_thread) .*", r"\1 8", accepted))
    worse = _run_github(checkout, environment)
    assert worse.codes["Gate"] == 1
    assert comments.texts[1].startswith(f"{_ci_comment.MARK}\n# GPU performance gate: regression")
    baseline.write_text(accepted)

    other = {"FAKE_RECORDING": str(samples / "h200_bundled.roofscope.json.gz")}
    third = _run_github(checkout, environment | other)
    assert third.codes["Gate"] == 2
    assert third.codes["Comment"] == 0
    assert list(comments.texts) == [1]  # the same comment
    assert "could not compare" in comments.texts[1]
    assert {token for *_, token in comments.asked} == {"Bearer secret-token"}
    assert {path.partition("?")[0] for _, path, _ in comments.asked} == {
        "/repos/ann/app/issues/12/comments",
        "/repos/ann/app/issues/comments/1",
    }


def test_github_stops_where_counters_cannot_be_read(
    checkout: Path, wheels: Path, samples: Path, comments: Comments
) -> None:
    _init(*WITH_GPU)
    environment = _environment(checkout, wheels, samples / "none", comments)
    outcome = _run_github(checkout, environment | {"FAKE_DOCTOR": "69"})
    assert outcome.codes == {"Install roofscope": 0, "Can counters be read here?": 69}


def test_gitlab_runs_from_an_empty_runner(
    checkout: Path, wheels: Path, samples: Path, comments: Comments
) -> None:
    _init(*WITH_GPU)
    good = samples / "h200_source.roofscope.json.gz"
    environment = _environment(checkout, wheels, good, comments)
    first = _run_gitlab(checkout, environment)
    assert first.codes == {"job": 2}, first.said
    assert "perf.baseline is new" in first.said
    assert _run_gitlab(checkout, environment).codes == {"job": 0}
    other = {"FAKE_RECORDING": str(samples / "h200_bundled.roofscope.json.gz")}
    assert _run_gitlab(checkout, environment | other).codes == {"job": 2}
    assert list(comments.texts) == [1]
    assert "could not compare" in comments.texts[1]
    assert {token for *_, token in comments.asked} == {"secret-token"}
    assert [method for method, *_ in comments.asked] == ["GET", "GET", "POST", "GET", "GET", "PUT"]
    assert ElementTree.parse(checkout / "gate.xml").getroot().tag == "testsuites"


RECORDED = (
    "--profile", "perf/app.roofscope.json.gz", "--sources", "kernels/", "--baseline",
    "perf/perf.baseline",
)  # fmt: skip


def _git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_a_committed_recording_needs_no_gpu(
    checkout: Path, wheels: Path, samples: Path, comments: Comments, system: str
) -> None:
    origin = checkout.parent / "origin.git"
    _git(checkout.parent, "init", "-q", "--bare", "-b", "main", str(origin))
    _git(checkout, "init", "-q", "-b", "main")
    _git(checkout, "remote", "add", "origin", str(origin))
    for name in ("perf", "kernels"):
        (checkout / name).mkdir()
    recording = checkout / "perf/app.roofscope.json.gz"
    recording.write_bytes((samples / "h200_source.roofscope.json.gz").read_bytes())
    baseline = checkout / "perf/perf.baseline"
    roofscope._executable.run("gate", recording, "--baseline", baseline, "--update")
    (checkout / "kernels/a.cu").write_text("// one\n")
    _init(*RECORDED)
    _git(checkout, "add", "-A")
    _git(checkout, "commit", "-q", "-m", "one")
    _git(checkout, "push", "-q", "origin", "main")
    _git(checkout, "fetch", "-q", "origin")
    _git(checkout, "switch", "-q", "-c", "change")
    environment = _environment(checkout, wheels, recording, comments)
    run = _run_github if system == "github" else _run_gitlab
    passed = run(checkout, environment)
    assert set(passed.codes.values()) == {0}, passed.said
    assert "pass" in comments.texts[1]

    (checkout / "kernels/a.cu").write_text("// two\n")
    _git(checkout, "commit", "-q", "-a", "-m", "two")
    stale = run(checkout, environment)
    assert 2 in stale.codes.values()
    assert "kernels/ changed, but perf/app.roofscope.json.gz did not" in stale.said

    # A baseline that the same change makes to fit does not count.
    recording.write_bytes((samples / "h200_bundled.roofscope.json.gz").read_bytes())
    roofscope._executable.run("gate", recording, "--baseline", baseline, "--update")
    _git(checkout, "commit", "-q", "-a", "-m", "three")
    worse = run(checkout, environment)
    assert 2 in worse.codes.values()
    assert "could not compare" in comments.texts[1]


@pytest.mark.parametrize("more", [WITH_GPU, RECORDED])
def test_it_is_yaml_with_these_blocks(checkout: Path, more: tuple[str, ...]) -> None:
    yaml = pytest.importorskip("yaml")
    _init(*more)
    text = (checkout / ".github/workflows/roofscope.yml").read_text()
    steps = yaml.safe_load(text)["jobs"]["roofscope"]["steps"]
    runs = [(s["name"], s["run"]) for s in steps if "run" in s]
    assert runs == [(name, run) for name, run, _ in _github_blocks(text)]
    assert [s["uses"].partition("@")[0] for s in steps if "uses" in s] == [
        "actions/checkout", "github/codeql-action/upload-sarif", "actions/upload-artifact",
    ]  # fmt: skip
    text = (checkout / ".gitlab/roofscope.yml").read_text()
    job = yaml.safe_load(text)["roofscope"]
    assert job["script"] == [run for _, run in _gitlab_blocks(text)]
    assert job["artifacts"]["reports"] == {"junit": "gate.xml"}
    include = yaml.safe_load((checkout / ".gitlab-ci.yml").read_text())
    assert include == {"include": [{"local": ".gitlab/roofscope.yml"}]}


@pytest.mark.parametrize(
    ("runner", "wanted"),
    [("gpu", ["gpu"]), ("a, b", ["a", "b"]), ("[self-hosted, gpu]", ["self-hosted", "gpu"])],
)
def test_labels_of_a_runner_are_a_list(checkout: Path, runner: str, wanted: list[str]) -> None:
    yaml = pytest.importorskip("yaml")
    assert _ci.main(["init", "--wheel", "w", "--program", "./app", "--runner", runner]) == 0
    github = yaml.safe_load((checkout / ".github/workflows/roofscope.yml").read_text())
    gitlab = yaml.safe_load((checkout / ".gitlab/roofscope.yml").read_text())
    assert github["jobs"]["roofscope"]["runs-on"] == wanted
    assert gitlab["roofscope"]["tags"] == wanted


def test_a_program_may_begin_with_its_environment(
    checkout: Path, capsys: pytest.CaptureFixture
) -> None:
    _init("--program", "FOO=1 ./app.sh", "--dry-run")
    assert " -- env FOO=1 ./app.sh\n" in capsys.readouterr().out


def test_a_folder_in_the_repository_is_not_its_root(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "sub").mkdir()
    (checkout / ".git").mkdir(exist_ok=True)
    monkeypatch.chdir(checkout / "sub")
    with pytest.raises(RoofscopeError, match="run it in ") as said:
        _init(*WITH_GPU)
    assert str(checkout) in str(said.value)
    assert not list((checkout / "sub").iterdir())


@pytest.mark.parametrize(
    ("wheel", "cuda", "wanted"),
    [
        ("dist/x.whl", "13", "'dist/x.whl[cuda13]'"),
        ("dist/x.whl", "none", "dist/x.whl"),
        ("https://a.example/x.whl", "12", "'roofscope[cuda12] @ https://a.example/x.whl'"),
        ("roofscope==0.1.0", "13", "'roofscope[cuda13]==0.1.0'"),
        ("a b.whl; rm -rf /", "none", "'a b.whl; rm -rf /'"),
    ],
)
def test_the_wheel_is_the_one_that_the_user_names(
    checkout: Path, wheel: str, cuda: str, wanted: str
) -> None:
    assert _ci.main(["init", "--wheel", wheel, "--cuda", cuda, "--program", "./app"]) == 0
    for file in (".github/workflows/roofscope.yml", ".gitlab/roofscope.yml"):
        assert f'/bin/pip" install {wanted}\n' in (checkout / file).read_text()


def test_files_that_are_there_stay(checkout: Path, capsys: pytest.CaptureFixture) -> None:
    mine = checkout / ".gitlab-ci.yml"
    mine.write_text("stages: [test]\n")
    _init(*WITH_GPU)
    assert mine.read_text() == "stages: [test]\n"
    assert "add to .gitlab-ci.yml:\ninclude:\n" in capsys.readouterr().out
    _init(*WITH_GPU)  # the same again
    workflow = checkout / ".github/workflows/roofscope.yml"
    workflow.write_text("mine\n")
    with pytest.raises(RoofscopeError, match=r"is there already .--force") as said:
        _init(*WITH_GPU)
    assert said.value.exit_code == 73
    assert workflow.read_text() == "mine\n"
    _init(*WITH_GPU, "--dry-run")
    assert workflow.read_text() == "mine\n"
    _init(*WITH_GPU, "--force")
    assert workflow.read_text() != "mine\n"


def test_the_program_may_follow_as_for_record(
    checkout: Path, capsys: pytest.CaptureFixture
) -> None:
    _init("--program", "./app.sh 'two words' --fast", "--dry-run")
    written = capsys.readouterr().out
    _init("--dry-run", "--", "./app.sh", "two words", "--fast")
    assert capsys.readouterr().out == written


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--program", "a", "--profile", "b"),
        ("--program", "a", "--sources", "b"),
        ("--program", "a\nb"),
        ("--program", "${{ secrets.X }}"),
        ("--program", "a", "--cuda", "11"),
        ("--program", "a", "--unknown"),
        ("--program", "a", "--", "b"),
        ("--profile", "a", "--", "b"),
    ],
)
def test_wrong_use_is_one_sentence(checkout: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(RoofscopeError, match=r"^ci init: ") as said:
        _init(*words)
    assert said.value.exit_code == 64
    assert len(str(said.value).splitlines()) == 1
    assert not (checkout / ".github").exists()


def test_a_comment_on_a_later_page_is_found(
    tmp_path: Path, comments: Comments, monkeypatch: pytest.MonkeyPatch
) -> None:
    comments.texts = {i: "somebody's" for i in range(1, 151)} | {151: f"{_ci_comment.MARK}\nold"}
    text = tmp_path / "gate.md"
    text.write_text("x" * 100_000)
    monkeypatch.delenv("GITLAB_CI", raising=False)
    for name, value in {
        "GITHUB_API_URL": comments.address,
        "GITHUB_REPOSITORY": "ann/app",
        "GITHUB_REF": "refs/pull/12/merge",
        "GITHUB_TOKEN": "secret-token",
    }.items():
        monkeypatch.setenv(name, value)
    assert _ci.main(["comment", str(text)]) == 0
    assert len(comments.texts) == 151
    assert comments.texts[151].startswith(f"{_ci_comment.MARK}\nxxx")
    assert len(comments.texts[151]) < 65_536
    for code in (403, 307):
        comments.refuse, comments.asked = code, []
        with pytest.raises(RoofscopeError, match=f"answered {code}") as said:
            _ci.main(["comment", str(text)])
        assert said.value.exit_code == 77
        assert "secret" not in str(said.value)
        assert len(comments.asked) == 1  # a redirection would take the token elsewhere
    monkeypatch.setenv("GITHUB_REF", "refs/heads/main")
    with pytest.raises(RoofscopeError, match="no run for a pull request"):
        _ci.main(["comment", str(text)])
    monkeypatch.delenv("GITHUB_TOKEN")
    with pytest.raises(RoofscopeError, match="GITHUB_TOKEN is not set"):
        _ci.main(["comment", str(text)])


def test_the_page_shows_what_it_writes(checkout: Path) -> None:
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```yaml\n(.*?)^```$", page, re.S | re.M)
    commands = re.findall(r"^roofscope ci init (.*)$", page, re.M)
    assert len(commands) == 2
    made = []
    for command in commands:
        done = subprocess.run(
            f"{sys.executable} -m roofscope ci init {command} --force",
            shell=True, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        made += [
            (checkout / name).read_text()
            for name in (".github/workflows/roofscope.yml", ".gitlab/roofscope.yml")
        ]
    assert len(shown) == 3
    assert all(text in made for text in shown)
