# SPDX-License-Identifier: Apache-2.0
"""The server's tool `try`: `roofscope try` under the same limits as a recording."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
from pathlib import Path
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from roofscope import _packets, _trials, _tried_file
from roofscope._mcp_folder import Folder, Target
from roofscope._mcp_runs import GRACE, RUNS, Turns, keep, read, run, said

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


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None


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
                before = _text(noted)
                table = await _try(words, folder.root, limit, ctx)
                if _text(noted) != before:
                    await keep(noted, target)
                    table += "The report of this profile shows it, and so does loop.\n"
        return _packet(table)
