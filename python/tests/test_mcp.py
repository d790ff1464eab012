# SPDX-License-Identifier: Apache-2.0
"""Tests the server with the official SDK's client. Recording is faked: there is no GPU."""

import asyncio
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError
from processes import gone, wait_for

import roofscope
from roofscope import _executable, _file_lock, _mcp_folder, _mcp_server, _packets, _tried_file

HERE = Path(__file__).resolve().parent


@pytest.fixture
def project(tmp_path: Path, samples: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("h200_source", "h200_bundled"):
        file = f"{name}.roofscope.json.gz"
        (folder / file).write_bytes((samples / file).read_bytes())
    (folder / "step.py").write_text("print('hello')\n")
    (folder / "slow.py").write_text(
        "import os, time, pathlib\n"
        "pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    (folder / "link.py").symlink_to(tmp_path / "outside.py")
    (tmp_path / "outside.py").write_text("print('outside')\n")
    (tmp_path / "secret.roofscope.json.gz").write_bytes(
        (samples / "h200_atomics.roofscope.json.gz").read_bytes()
    )
    return folder


def _environment(samples: Path) -> dict[str, str]:
    return dict(
        os.environ,
        REAL_ROOFSCOPE=str(roofscope.executable()),
        ROOFSCOPE_EXECUTABLE=str(HERE / "fake_roofscope.py"),
        FAKE_RECORDING=str(samples / "h200_source.roofscope.json.gz"),
    )


def _client(project: Path, samples: Path, *options: str) -> Client:
    words = ["-m", "roofscope", "mcp", "--root", str(project), *options]
    return Client(
        StdioServerParameters(command=sys.executable, args=words, env=_environment(samples))
    )


def _text(result) -> str:
    return "".join(part.text for part in result.content)


def test_from_record_to_the_source_line(project: Path, samples: Path) -> None:
    async def talk() -> None:
        heard: list[str | None] = []

        async def progress(_done: float, _total: float | None, message: str | None) -> None:
            heard.append(message)

        async with _client(project, samples) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {
                "doctor", "record", "try", "profiles", "report", "show", "loop", "compare", "rules",
                "gate", "extract", "check",
            }  # fmt: skip
            answer = await client.call_tool(
                "record",
                {"command": ["python3", "step.py"], "out": "new.roofscope.json.gz"},
                progress_callback=progress,
            )
            packet = _text(answer)
            assert not answer.is_error, packet
            assert "timing run" in heard
            first = next(line for line in packet.splitlines() if line.startswith("1. "))
            identity = first.split()[1].rstrip(":")
            arguments = {"id": identity, "profile": "new.roofscope.json.gz"}
            finding = _text(await client.call_tool("show", arguments))
            assert "shared_conflict.cu:56" in finding
            # The same packet as on the command line.
            local = roofscope.open(project / "new.roofscope.json.gz")
            assert _packets.show(local, identity) == finding
            compared = await client.call_tool(
                "compare",
                {
                    "baseline": "h200_bundled.roofscope.json.gz",
                    "candidate": "new.roofscope.json.gz",
                },
            )
            assert "transposeTile" in _text(compared)
            for text in (packet, finding, _text(compared)):
                assert _packets.estimate_tokens(text) <= _packets.LIMIT
            rule = _text(await client.call_tool("rules", {"rule": "shared-bank-conflict"}))
            assert "Pad the row" in rule
            gate = {"profile": "new.roofscope.json.gz", "baseline": "none.baseline"}
            assert (await client.call_tool("gate", gate)).is_error

    asyncio.run(talk())


def test_outside_is_refused(project: Path, samples: Path) -> None:
    outside = project.parent
    refused = [
        ("report", {"profile": "../secret.roofscope.json.gz"}),
        ("report", {"profile": str(outside / "secret.roofscope.json.gz")}),
        ("record", {"command": ["../outside.py"]}),
        ("record", {"command": ["python3", "link.py"]}),
        ("record", {"command": ["python3", "-c", "print(1)"]}),
        ("record", {"command": ["/bin/sh", "-c", "true"]}),
        ("record", {"command": ["sh", "step.py"]}),
        ("record", {"command": []}),
        ("record", {"command": ["python3", "step.py"], "out": "../new.roofscope.json"}),
        ("record", {"command": ["python3", "step.py"], "out": "step.py"}),
        ("record", {"command": ["python3", "step.py"], "options": ["--out=/tmp/x"]}),
        ("gate", {"profile": "h200_source.roofscope.json.gz", "baseline": "/etc/passwd"}),
    ]

    async def talk() -> None:
        async with _client(project, samples) as client:
            for tool, arguments in refused:
                answer = await client.call_tool(tool, arguments)
                assert answer.is_error, (tool, arguments)
                assert "refused" in _text(answer) or "no such file" in _text(answer), arguments

    before = {p.name for p in outside.iterdir()}
    asyncio.run(talk())
    assert {p.name for p in outside.iterdir()} == before
    assert (project / "step.py").read_text() == "print('hello')\n"


def test_a_name_with_a_mark_or_a_link_writes_nothing_outside(project: Path, samples: Path) -> None:
    """`record` replaces %% in a name, so it could open another file than the one checked."""
    outside = project.parent / "outside"
    outside.mkdir()
    (project / "a%b").symlink_to(outside)
    (project / "a%%b").mkdir()
    (project / "links").symlink_to(outside)
    (project / "there.roofscope.json").symlink_to(outside / "there.roofscope.json")
    (project / "folder.roofscope.json").mkdir()

    async def talk() -> None:
        async with _client(project, samples) as client:
            for out in (
                "a%%b/new.roofscope.json",
                "a%b/new.roofscope.json",
                "%p.roofscope.json",
                "links/new.roofscope.json",
                "there.roofscope.json",
                "folder.roofscope.json",
                "missing/new.roofscope.json",
            ):
                arguments = {"command": ["python3", "slow.py"], "out": out}
                answer = await client.call_tool("record", arguments)
                assert answer.is_error, out
                assert "refused" in _text(answer), _text(answer)

    asyncio.run(talk())
    assert not list(outside.iterdir())
    assert not (project / "pid").exists()  # refused before anything ran


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_link_that_appears_while_it_runs_is_not_followed(
    project: Path, samples: Path, what: str
) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (project / "out").mkdir()
    swap = {
        "folder": "os.rename('out', 'was'); os.symlink('../outside', 'out')",
        "file": "os.symlink('../../outside/n.roofscope.json.gz', 'out/n.roofscope.json.gz')",
    }
    (project / "swap.py").write_text(f"import os\n{swap[what]}\n")

    async def talk() -> None:
        async with _client(project, samples) as client:
            out = "out/n.roofscope.json.gz"
            await client.call_tool("record", {"command": ["python3", "swap.py"], "out": out})

    asyncio.run(talk())
    assert not list(outside.iterdir())
    written = project / ("was" if what == "folder" else "out") / "n.roofscope.json.gz"
    assert written.is_file() and not written.is_symlink()
    assert len(list(written.parent.iterdir())) == 1


@pytest.fixture
def environment(project: Path) -> Path:
    """A virtual environment in the project, whose Python is a link that leads outside."""
    programs = project / ".venv/bin"
    programs.mkdir(parents=True)
    (project / ".venv/pyvenv.cfg").write_text("home = /usr/bin\n")
    (programs / "python").symlink_to(Path(sys.executable).resolve())
    (programs / "launcher").write_text("#!/bin/sh\necho launched\n")
    (programs / "launcher").chmod(0o755)
    return programs


def test_the_python_of_an_environment_runs_by_its_link(
    project: Path, samples: Path, environment: Path
) -> None:
    (project / "which.py").write_text("import sys\nopen('which', 'w').write(sys.executable)\n")

    async def talk() -> None:
        async with _client(project, samples) as client:
            for command in (
                [".venv/bin/python", "which.py"],
                [str(environment / "python"), "which.py"],
            ):
                answer = await client.call_tool("record", {"command": command})
                assert not answer.is_error, _text(answer)
                assert (project / "which").read_text() == str(environment / "python")
                (project / "which").unlink()

    asyncio.run(talk())


def test_a_program_is_found_in_path_as_a_shell_does(
    project: Path, environment: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outside = tmp_path / "bin"
    outside.mkdir()
    shutil.copy(environment / "launcher", outside / "torchrun")
    script = str(project / "step.py")
    folder = _mcp_folder.Folder(project)
    monkeypatch.setenv("PATH", f"{environment}{os.pathsep}{outside}")
    assert folder.program(["python", "step.py"]) == [str(environment / "python"), script]
    assert folder.program(["launcher", "1"]) == [str(environment / "launcher"), "1"]
    with pytest.raises(ToolError, match=r"torchrun is outside of .*--allow torchrun"):
        folder.program(["torchrun", "step.py"])
    allowed = _mcp_folder.Folder(project, ["torchrun"])
    assert allowed.program(["torchrun", "x"]) == [str(outside / "torchrun"), "x"]
    # Only the name is allowed, and only as PATH finds it.
    with pytest.raises(ToolError, match="outside"):
        allowed.program([str(outside / "torchrun"), "x"])
    # A name of PATH goes before a file of the folder only if it is allowed.
    shutil.copy(environment / "launcher", project / "torchrun")
    assert folder.program(["torchrun"]) == [str(project / "torchrun")]
    assert allowed.program(["torchrun"]) == [str(outside / "torchrun")]
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError, match="torchrun was not found in PATH"):
        allowed.program(["torchrun"])


def test_only_python_may_be_a_link_that_leads_outside(project: Path, environment: Path) -> None:
    real = Path(sys.executable).resolve()
    (environment / "tool").symlink_to("/bin/sh")
    (environment / "python3").symlink_to("/bin/sh")
    (environment / "other").symlink_to(real)
    (project / "away").symlink_to(real.parent)
    (environment / "python3.9").symlink_to(project / "step.py")
    shutil.copy(real, environment / "python3.10")  # as `python -m venv --copies` makes
    folder = _mcp_folder.Folder(project)
    for program in ("tool", "python3", "other"):
        with pytest.raises(ToolError, match="outside"):
            folder.program([f".venv/bin/{program}", "step.py"])
    with pytest.raises(ToolError, match="outside"):
        folder.program([f"away/{real.name}", "step.py"])
    for program in ("python", "python3.10"):
        with pytest.raises(ToolError, match=r"refused: .*python.* -c needs"):
            folder.program([f".venv/bin/{program}", "-c", "print(1)"])
        with pytest.raises(ToolError, match="outside"):
            folder.program([f".venv/bin/{program}", "link.py"])
        for rest in ([], ["-"], ["-cprint(1)"], ["-mpip"], ["-i", "step.py"], ["-c"], [""]):
            with pytest.raises(ToolError):
                folder.program([f".venv/bin/{program}", *rest])


def test_code_and_modules_need_the_users_word(project: Path, environment: Path) -> None:
    python = str(environment / "python")

    def run(allowed: list[str], *rest: str) -> list[str]:
        return _mcp_folder.Folder(project, allowed).program([".venv/bin/python", *rest])

    assert run(["-c"], "-c", "print(1)") == [python, "-c", "print(1)"]
    assert run(["-m"], "-m", "pytest", "-q") == [python, "-m", "pytest", "-q"]
    assert run(["-m json.tool"], "-m", "json.tool") == [python, "-m", "json.tool"]
    for allowed, rest in (
        (["-c"], ("-m", "pytest")),
        (["-m"], ("-c", "print(1)")),
        (["-m json.tool"], ("-m", "json")),
        (["torchrun"], ("-m", "torchrun")),
    ):
        with pytest.raises(ToolError, match="refused"):
            run(allowed, *rest)


@pytest.mark.parametrize("entry", ["", "/bin/sh", "../x", "-x", "-m ;", "-c x", "a b", ".", "a/b"])
def test_an_allowed_name_is_a_name(project: Path, entry: str) -> None:
    with pytest.raises(roofscope.RoofscopeError, match="--allow") as said:
        _mcp_folder.Folder(project, [entry])
    assert said.value.exit_code == 64


def test_options_have_two_forms() -> None:
    joined = ["--kernel=a b=c", "--groups=default,pipes"]
    assert _mcp_server.record_options(joined) == joined
    assert _mcp_server.record_options(["--kernel", "a b=c", "--groups default,pipes"]) == joined
    # A value stays a value.
    assert _mcp_server.record_options(["--kernel", "--out=/tmp/x"]) == ["--kernel=--out=/tmp/x"]
    for refused in (
        ["--kernel"],
        ["--out", "x"],
        ["x"],
        ["--"],
        ["-k", "x"],
        ["--kernelx=1"],
        [""],
    ):
        with pytest.raises(ToolError, match="refused: option"):
            _mcp_server.record_options(refused)


def test_it_says_its_version_and_what_its_tools_do(project: Path, samples: Path) -> None:
    async def talk() -> None:
        async with _client(project, samples) as client:
            assert re.fullmatch(r"\d+\.\d+\.\d+", client.server_info.version)
            tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
            assert {name for name, of in tools.items() if not of.read_only_hint} == {
                "record",
                "try",
                "loop",
                "extract",
                "check",
            }
            assert tools["record"].destructive_hint is True
            assert tools["try"].destructive_hint is True
            assert tools["loop"].destructive_hint is False

    asyncio.run(talk())


def test_a_long_answer_goes_on(project: Path, samples: Path) -> None:
    bundled = "h200_bundled.roofscope.json.gz"
    asked = (
        (
            "report",
            {"profile": bundled},
            _packets.show(roofscope.open(project / bundled), "program", 9999),
        ),
        ("rules", {}, _executable.run("rules", "list").stdout),
    )

    async def talk() -> None:
        async with _client(project, samples) as client:
            for tool, arguments, whole in asked:
                texts: list[str] = []
                while not texts or f"part {len(texts) + 1}" in texts[-1]:
                    more = {**arguments, "part": len(texts) + 1}
                    answer = await client.call_tool(tool, more)
                    assert not answer.is_error, _text(answer)
                    texts.append(_text(answer))
                    assert _packets.estimate_tokens(texts[-1]) <= _packets.LIMIT
                assert len(texts) > 1
                said = [line for text in texts for line in text.splitlines()]
                assert [line for line in whole.splitlines() if line not in said] == []
                answer = await client.call_tool(tool, {**arguments, "part": 99})
                assert answer.is_error
                assert _text(answer) == f"there is no part 99: the answer has {len(texts)}"

    asyncio.run(talk())


def test_errors_are_one_sentence(project: Path, samples: Path) -> None:
    wrong = [
        ("show", {"profile": "h200_source.roofscope.json.gz"}, "show: id: Field required"),
        ("report", {"profile": 7}, "report: profile: Input should be a valid string"),
        ("report", {"profile": "none.roofscope.json"}, "no such profile: none.roofscope.json"),
        ("record", {"command": "ls"}, "record: command: Input should be a valid list"),
        ("record", {"command": ["python3", "step.py", "a\0b"]}, "refused: an argument"),
        ("rules", {"rule": "no-such-rule"}, "`rules show: "),
        ("no_such_tool", {}, "Unknown tool"),
        ("loop", {"undo": True, "profile": "x"}, "undo takes the last step back"),
    ]

    async def talk() -> None:
        async with _client(project, samples) as client:
            for tool, arguments, begin in wrong:
                answer = await client.call_tool(tool, arguments)
                assert answer.is_error, tool
                assert _text(answer).startswith(begin), _text(answer)
                assert len(_text(answer).splitlines()) == 1, _text(answer)
                assert "pydantic" not in _text(answer)

    asyncio.run(talk())


def test_profiles_are_listed_newest_first(project: Path, samples: Path) -> None:
    os.utime(project / "h200_bundled.roofscope.json.gz", (0, 0))
    (project / "link.roofscope.json").symlink_to(project.parent / "secret.roofscope.json.gz")
    (project / ".git").mkdir()
    (project / ".git/x.roofscope.json").write_text("{}")
    (project / "runs").mkdir()
    (project / "runs/`a\n.roofscope.json").write_text("{}")

    async def talk() -> str:
        async with _client(project, samples) as client:
            return _text(await client.call_tool("profiles", {}))

    lines = asyncio.run(talk()).splitlines()
    assert lines[-1].startswith("- `h200_bundled.roofscope.json.gz`: written 1970-01-01 00:00 UTC")
    assert {line.split(": ")[0] for line in lines} == {
        "- `h200_bundled.roofscope.json.gz`",
        "- `h200_source.roofscope.json.gz`",
        "- `runs/'a .roofscope.json`",
    }


def test_the_loop_is_a_tool(project: Path, samples: Path) -> None:
    async def talk() -> None:
        async with _client(project, samples) as client:
            assert _text(await client.call_tool("loop", {})) == "No steps yet: give a profile."
            given = {"profile": "h200_source.roofscope.json.gz"}
            first = _text(await client.call_tool("loop", given))
            assert "next: k1e8913/shared-bank-conflict" in first
            again = await client.call_tool("loop", given)
            assert again.is_error and "the same recording as before" in _text(again)
            skipped = given | {"skip": "k1e8913/shared-bank-conflict"}
            second = _text(await client.call_tool("loop", skipped))
            assert "next: kb9c3bd/shared-bank-conflict" in second
            shown = _text(await client.call_tool("loop", {}))
            assert "never proposed: k1e8913/shared-bank-conflict" in shown
            assert "taken back" in _text(await client.call_tool("loop", {"undo": True}))

    asyncio.run(talk())
    ledger = json.loads((project / "roofscope-loop.json").read_text())
    assert ledger["steps"] == []
    assert not list(project.parent.glob("roofscope-loop*"))


def test_the_loop_opens_nothing_outside(project: Path, samples: Path) -> None:
    secret = project.parent / "secret.roofscope.json.gz"
    ledger = project / "roofscope-loop.json"
    given = {"profile": "h200_source.roofscope.json.gz"}

    async def talk(text: str) -> None:
        async with _client(project, samples) as client:
            for arguments in (given, {"skip": "x"}, given | {"profile": f"../{secret.name}"}):
                answer = await client.call_tool("loop", arguments)
                assert answer.is_error and text in _text(answer), _text(answer)

    step = {"number": 1, "profile": f"../{secret.name}", "action": None, "outcome": None}
    content = {"format": "roofscope-loop", "schema": [1, 0], "skipped": []}
    for profile in (f"../{secret.name}", str(secret)):
        steps = [step | {"profile": profile, "stop": "x"}]
        ledger.write_text(json.dumps(content | {"steps": steps}))
        asyncio.run(talk("outside"))
        assert json.loads(ledger.read_text())["steps"] == steps
    ledger.unlink()
    away = project.parent / "away.json"
    away.write_text(json.dumps(content | {"steps": []}))
    ledger.symlink_to(away)
    asyncio.run(talk("outside"))
    assert json.loads(away.read_text())["steps"] == []


def test_the_home_folder_is_served_only_by_name(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "roofscope", "mcp"]
    environment = os.environ | {"HOME": str(tmp_path)}
    more = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True, "input": ""}
    done = subprocess.run(words, check=False, **more)
    assert done.returncode == 64
    assert done.stderr.count("\n") == 1 and "name a folder with --root" in done.stderr
    assert subprocess.run([*words, "--root", "."], check=False, **more).returncode == 0


def test_the_time_limit_ends_the_program(project: Path, samples: Path) -> None:
    async def talk() -> None:
        async with _client(project, samples) as client:
            for limit in (4, 16, 64):  # a busy machine may not start the program in time
                arguments = {"command": ["python3", "slow.py"], "time_limit": limit}
                answer = await client.call_tool("record", arguments)
                assert answer.is_error
                assert f"time limit of {limit} s" in _text(answer)
                if (project / "pid").exists():
                    return

    asyncio.run(talk())
    assert wait_for(lambda: gone(int((project / "pid").read_text())))
    assert not (project / "app.roofscope.json.gz").exists()


def test_a_cancelled_call_ends_the_program(project: Path, samples: Path) -> None:
    async def talk() -> None:
        async with _client(project, samples) as client:
            call = asyncio.create_task(
                client.call_tool("record", {"command": ["python3", "slow.py"]})
            )
            assert await asyncio.to_thread(wait_for, (project / "pid").exists)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            pid = int((project / "pid").read_text())
            assert await asyncio.to_thread(wait_for, lambda: gone(pid))
            assert "H200" in _text(
                await client.call_tool("report", {"profile": "h200_source.roofscope.json.gz"})
            )

    asyncio.run(talk())


def test_a_killed_server_leaves_nothing(project: Path, samples: Path) -> None:
    script = (
        "import asyncio, pathlib, sys\n"
        "from roofscope import _mcp_runs as m\n"
        "asyncio.run(m.run(['record', '--out', 'x', '--', sys.executable, 'slow.py'],"
        " pathlib.Path('.'), 600))\n"
    )

    async def start_and_kill() -> int:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, cwd=project, env=_environment(samples)
        )
        assert await asyncio.to_thread(wait_for, (project / "pid").exists)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        return int((project / "pid").read_text())

    # The executable ends with the server; tests/cli checks that it also ends its program.
    pid = asyncio.run(start_and_kill())
    parent = Path(f"/proc/{pid}/stat")
    assert wait_for(lambda: gone(pid) or int(parent.read_text().split()[3]) == 1)
    if not gone(pid):
        os.kill(pid, signal.SIGKILL)


#: A program whose wall time falls if kernels are loaded at the start.
SCRIPT = """
import os, pathlib, sys, time
pathlib.Path("started").write_text(str(os.getpid()))
time.sleep(float(sys.argv[1]) if os.environ.get("CUDA_MODULE_LOADING") != "EAGER" else 0.1)
print("loss", 0.5)
"""


def _own_profile(project: Path, samples: Path, command: list[str]) -> Path:
    raw = json.loads(gzip.decompress((samples / "h200_source.roofscope.json.gz").read_bytes()))
    raw["capture"]["command"] = command
    path = project / "own.roofscope.json"
    path.write_text(json.dumps(raw))
    return path


def test_try_tells_what_an_edit_saves(project: Path, samples: Path) -> None:
    (project / "run.py").write_text(SCRIPT)
    _own_profile(project, samples, ["python3", "run.py", "0.6"])

    async def talk() -> None:
        heard: list[str] = []

        async def progress(_done: float, _total: float | None, message: str | None) -> None:
            heard.append(message or "")

        async with _client(project, samples) as client:
            arguments = {"profile": "own.roofscope.json", "trials": ["eager-loading"]}
            answer = await client.call_tool("try", arguments, progress_callback=progress)
            table = _text(answer)
            assert not answer.is_error, table
            assert "eager-loading" in table and "helps" in table
            assert table.endswith("The report of this profile shows it, and so does loop.\n")
            assert any("plain: " in line for line in heard)
            report = _text(await client.call_tool("report", {"profile": "own.roofscope.json"}))
            assert "Tried with `eager-loading`: " in report
            # Without a profile nothing is written.
            (project / "own.tried.json").unlink()
            command = {"command": ["python3", "run.py", "0.1"], "trials": ["connections"]}
            assert "\nconnections  " in _text(await client.call_tool("try", command))
            # A command other than the profile's is tried, but its results are not noted.
            other = _text(await client.call_tool("try", {**arguments, **command}))
            assert "connections" in other and "The report" not in other
            assert not (project / "own.tried.json").exists()

    asyncio.run(talk())


def test_try_refuses_what_record_refuses(project: Path, samples: Path) -> None:
    outside = project.parent / "secret.roofscope.json.gz"
    _own_profile(project, samples, ["sh", "-c", "touch ran"])
    (project / "other.roofscope.json").write_bytes(outside.read_bytes())
    (project / "other.tried.json").mkdir()
    refused = [
        ({"command": ["sh", "-c", "touch ran"]}, "outside"),
        ({"command": ["python3", "../outside.py"]}, "outside"),
        ({"command": ["python3", "-c", "1"]}, "--allow=-c"),
        ({"profile": "../secret.roofscope.json.gz"}, "outside"),
        ({"profile": "own.roofscope.json", "trials": ["connections"]}, "outside"),
        ({"profile": "other.roofscope.json"}, "not a regular file"),
        ({"command": ["python3", "step.py"], "trials": ["--out=x"]}, "no trial --out=x"),
        ({"command": ["python3", "step.py"], "trials": ["tf33"]}, "no trial tf33"),
        ({}, "give a profile"),
    ]

    async def talk() -> None:
        async with _client(project, samples) as client:
            for arguments, said in refused:
                answer = await client.call_tool("try", arguments)
                assert answer.is_error, arguments
                assert said in _text(answer), arguments
                assert "\n" not in _text(answer)
        assert not (project / "ran").exists()

    asyncio.run(talk())


def test_a_cancelled_try_ends_the_program(project: Path, samples: Path) -> None:
    async def talk() -> None:
        async with _client(project, samples) as client:
            call = asyncio.create_task(
                client.call_tool(
                    "try", {"command": ["python3", "slow.py"], "trials": ["connections"]}
                )
            )
            assert await asyncio.to_thread(wait_for, (project / "pid").exists)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            pid = int((project / "pid").read_text())
            assert await asyncio.to_thread(wait_for, lambda: gone(pid))
            late = {"command": ["python3", "slow.py"], "trials": ["connections"], "time_limit": 2}
            answer = await client.call_tool("try", late)
            assert answer.is_error and "did not end within 2 s" in _text(answer)

    asyncio.run(talk())


def test_try_writes_through_no_link(project: Path, samples: Path) -> None:
    (project / "run.py").write_text(SCRIPT)
    _own_profile(project, samples, ["python3", "run.py", "0.6"])
    outside = project.parent / "outside.json"
    outside.write_text("keep")
    (project / "own.tried.json").symlink_to(outside)

    async def talk() -> None:
        async with _client(project, samples) as client:
            arguments = {"profile": "own.roofscope.json", "trials": ["eager-loading"]}
            assert (await client.call_tool("try", arguments)).is_error
        assert outside.read_text() == "keep"
        assert not (project / "started").exists()

    asyncio.run(talk())


def _noted_beside(profile: Path, name: str) -> None:
    """Notes a trial as `roofscope try` does on the command line."""
    place = _tried_file.place(profile)
    trial = dict.fromkeys(_tried_file._KEPT) | {"name": name, "outcome": "slower"}
    with _file_lock.locked(place):
        text = _tried_file.noted(place, _tried_file.digest(profile), [trial])
        assert text is not None
        place.write_text(text)


def test_try_keeps_what_another_try_notes_meanwhile(project: Path, samples: Path) -> None:
    (project / "run.py").write_text(SCRIPT)
    profile = _own_profile(project, samples, ["python3", "run.py", "0.4"])
    _noted_beside(profile, "tf32")

    async def talk() -> None:
        async with _client(project, samples) as client:
            arguments = {"profile": profile.name, "trials": ["eager-loading"]}
            call = asyncio.create_task(client.call_tool("try", arguments))
            assert await asyncio.to_thread(wait_for, (project / "started").exists)
            _noted_beside(profile, "compile")
            # Nor does it write while somebody else does.
            with _file_lock.locked(profile):
                before = _tried_file.place(profile).read_bytes()
                done, _ = await asyncio.wait([call], timeout=5)
                assert not done
                assert _tried_file.place(profile).read_bytes() == before
            answer = await call
            assert not answer.is_error, _text(answer)

    asyncio.run(talk())
    trials = json.loads(_tried_file.place(profile).read_text())["trials"]
    assert [trial["name"] for trial in trials] == ["tf32", "compile", "eager-loading"]
