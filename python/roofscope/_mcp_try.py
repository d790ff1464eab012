# SPDX-License-Identifier: Apache-2.0
"""The server's tool `try`: `roofscope try` under the same limits as a recording."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
from pathlib import Path
from typing import Annotated

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from roofscope import _packets, _trials, _tried_file
from roofscope._executable import RoofscopeError
from roofscope._mcp_folder import Folder, Target
from roofscope._mcp_runs import GRACE, RUNS, Turns, read, run, said

#: Seconds to wait while another command writes the results beside a recording.
_PATIENCE = 10
#: Runs `roofscope try` in a Python that imports nothing from the current folder.
_TRY = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import roofscope; del sys.path[0]; "
    "from roofscope.__main__ import main; sys.exit(main(['try', *sys.argv[1:]]))"
)


def try_words(trials: list[str], limit: float) -> list[str]:
    """Options of `roofscope try`, written so that no name is taken for an option or a file."""
    known = [trial.name for trial in _trials.trials()]
    for name in trials:
        if name not in known:
            raise ToolError(
                f"there is no trial {_packets.plain(name, 60)} (known: {', '.join(known)})"
            )
    return [f"--time-limit={limit}", *([",".join(trials)] if trials else [])]


async def _try(words: list[str], root: Path, limit: float, progress: Context) -> str:
    """Runs `roofscope try` with these arguments; returns its table."""
    package = str(Path(_packets.__file__).resolve().parents[1])
    program = (sys.executable, "-I", "-B", "-c", _TRY, package)
    # `try` keeps the limit itself and then shows what it has, so give it time to do so.
    late = limit + GRACE
    code, output, messages = await run(words, root, late, progress, program=program)
    if code not in (0, 2):
        raise said(messages, code)
    return output or _packets.plain(messages.strip().splitlines()[-1], 600)


def _packet(table: str) -> str:
    """The table as one packet: a second part would run the program again."""
    packet = _packets.Packet()
    for line in table.splitlines():
        packet.add(line, 1 if line.startswith(("Not tried", "Could not")) else 0)
    return packet.text()


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


async def _note(before: bytes | None, noted: Path, recording: str, target: Target) -> bool:
    """Notes the trials that `noted` has since `before`; returns whether there are any.

    They are added to what lies beside the recording by now: another `try` of it may have noted its
    results there meanwhile.
    """
    earlier = _tried_file.trials_in(before, recording)
    found = _tried_file.trials_in(_bytes(noted), recording)
    new = [trial for trial in found if trial not in earlier]
    if not new:
        return False

    def write() -> None:
        with target.locked(_PATIENCE):
            noted.write_text(_tried_file.joined(target.read(), recording, new), encoding="utf-8")
            target.write(noted)

    try:
        # Not cancelled in between: the thread uses the target's folder.
        await anyio.to_thread.run_sync(write)
    except OSError as error:
        raise ToolError(f"{target.path}: {error.strerror}") from None
    except RoofscopeError as error:
        raise ToolError(str(error)) from None
    return True


async def _try_recorded(
    path: Path, folder: Folder, own: Path, words: list[str], command: list[str]
) -> list[str]:
    """The arguments that try `command`, or without one the recording's command, for a copy of it.

    Results are noted beside the copy, so that nothing is written through a link in the folder.
    """
    if not command:
        command = list((await read(path, folder.root, "program")).command)
        if not command:
            raise ToolError(f"{path.name} does not say its command: give one")
    for file in (path, _tried_file.place(path)):
        if file.is_file() and not file.is_symlink():
            await asyncio.to_thread(shutil.copyfile, file, own / file.name)
    return [*words, str(own / path.name), "--", *folder.program(command)]


def add_try(made: MCPServer, folder: Folder, turns: Turns, longest: float) -> None:
    """Adds the tool to the server."""

    @made.tool(name="try", annotations=RUNS)
    async def try_edits(
        ctx: Context,
        profile: Annotated[
            str, Field(description="Its actions choose the trials, and its report shows them")
        ] = "",
        command: Annotated[
            list[str], Field(description="As for record; without it, the profile's own")
        ] = [],  # noqa: B006
        trials: Annotated[
            list[str], Field(description="Only these, as tf32, compile, loader")
        ] = [],  # noqa: B006
        *,
        time_limit: Annotated[float, Field(description="Seconds for all runs", gt=0)] = 600,
    ) -> str:
        """Runs a program plain and with edits that change no file; says what each saves."""
        if not (profile or command):
            raise ToolError("give a profile, a command, or both")
        limit = min(time_limit, longest)
        words = try_words(trials, limit)
        if not profile:
            words += ["--", *folder.program(command)]
            async with turns.take():
                table = await _try(words, folder.root, limit, ctx)
            return _packet(table)
        path = folder.profile(profile)
        with contextlib.closing(Target(folder.root, _tried_file.place(path))) as target:
            async with turns.take() as own:
                words = await _try_recorded(path, folder, own, words, command)
                noted = own / target.path.name
                before = _bytes(noted)
                recording = await asyncio.to_thread(_tried_file.digest, own / path.name)
                table = await _try(words, folder.root, limit, ctx)
                if await _note(before, noted, recording, target):
                    table += "The report of this profile shows it, and so does loop.\n"
        return _packet(table)
