# SPDX-License-Identifier: Apache-2.0
"""Tests the server with the official SDK's client. Recording is faked: there is no GPU."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

import roofscope
from roofscope import _packets

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


def _client(project: Path, samples: Path, *options: str) -> Client:
    environment = dict(
        os.environ,
        REAL_ROOFSCOPE=str(roofscope.executable()),
        ROOFSCOPE_EXECUTABLE=str(HERE / "fake_roofscope.py"),
        FAKE_RECORDING=str(samples / "h200_source.roofscope.json.gz"),
    )
    words = ["-m", "roofscope", "mcp", "--root", str(project), *options]
    return Client(StdioServerParameters(command=sys.executable, args=words, env=environment))


def _text(result) -> str:
    return "".join(part.text for part in result.content)


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"


def _wait(condition, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_from_record_to_the_source_line(project: Path, samples: Path) -> None:
    async def talk() -> None:
        heard: list[str | None] = []

        async def progress(_done: float, _total: float | None, message: str | None) -> None:
            heard.append(message)

        async with _client(project, samples) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {"doctor", "record", "report", "show", "compare", "rules", "gate"}
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
    assert _wait(lambda: _gone(int((project / "pid").read_text())))
    assert not (project / "app.roofscope.json.gz").exists()


def test_a_cancelled_call_ends_the_program(project: Path, samples: Path) -> None:
    async def talk() -> None:
        async with _client(project, samples) as client:
            call = asyncio.create_task(
                client.call_tool("record", {"command": ["python3", "slow.py"]})
            )
            assert await asyncio.to_thread(_wait, (project / "pid").exists)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            pid = int((project / "pid").read_text())
            assert await asyncio.to_thread(_wait, lambda: _gone(pid))
            assert "H200" in _text(
                await client.call_tool("report", {"profile": "h200_source.roofscope.json.gz"})
            )

    asyncio.run(talk())


def test_a_killed_server_leaves_nothing(project: Path, samples: Path) -> None:
    environment = dict(
        os.environ,
        REAL_ROOFSCOPE=str(roofscope.executable()),
        ROOFSCOPE_EXECUTABLE=str(HERE / "fake_roofscope.py"),
        FAKE_RECORDING=str(samples / "h200_source.roofscope.json.gz"),
    )
    script = (
        "import asyncio, pathlib, sys\n"
        "from roofscope import _mcp_server as m\n"
        "asyncio.run(m._run(['record', '--out', 'x', '--', sys.executable, 'slow.py'],"
        " pathlib.Path('.'), 600))\n"
    )

    async def start_and_kill() -> int:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, cwd=project, env=environment
        )
        assert await asyncio.to_thread(_wait, (project / "pid").exists)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        return int((project / "pid").read_text())

    # The executable ends with the server; tests/cli checks that it also ends its program.
    pid = asyncio.run(start_and_kill())
    parent = Path(f"/proc/{pid}/stat")
    assert _wait(lambda: _gone(pid) or int(parent.read_text().split()[3]) == 1)
    if not _gone(pid):
        os.kill(pid, signal.SIGKILL)
