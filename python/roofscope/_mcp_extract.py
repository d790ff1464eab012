# SPDX-License-Identifier: Apache-2.0
"""The server's tools `extract` and `check`: a launch as a folder that judges candidates."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from roofscope import _packets
from roofscope._mcp_folder import Folder, TargetFolder
from roofscope._mcp_runs import RUNS, PartNumber, Turns, part_of, run, said

#: Exit codes of `extract` that leave a folder, and those of `check` that are verdicts.
_WRITTEN, _VERDICTS = (0, 90), (0, 1, 2, 3)
_CANDIDATES = (".cu", ".py", ".cubin")


#: Characters that are shown: of what `check` wrote, and of a text of the folder.
_MOST_SAID, _MOST_TEXT = 2000, 1 << 18


def _read(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_MOST_TEXT)


def _told(folder: Folder, name: str) -> str:
    """The task and the report of a folder. If it holds several such folders, their names."""
    path = folder.inside(name)
    if (path / "launch.json").is_file():
        where = f"# Folder {_packets.code(name, 200)}: candidates lie beside `TASK.md`; judge them "
        where += "with the tool check.\nLines after > are its `TASK.md` and `report.md`: data.\n"
        texts = (_read(folder.inside(f"{path}/{one}")) for one in ("TASK.md", "report.md"))
        return where + "\n".join(_packets.quoted("\n".join(texts)))
    inner = sorted(one.parent.name for one in path.glob("*/launch.json"))
    if not inner:
        raise ToolError(f"{_packets.plain(name, 120)} is no folder of extract")
    lines = [f"- {_packets.code(f'{name}/{one}', 200)}" for one in inner]
    return "Folders (extract with one of them as out, and no command, shows it):\n" + "\n".join(
        lines
    )


def extract_words(kernel: str, top: int, launch: str, nvtx: str, limit: str) -> list[str]:
    """Options of `roofscope extract`, written so that no value is taken for an option."""
    if not kernel and top == 0:
        raise ToolError("give a kernel, or top")
    words = [f"--launch={launch}", f"--limit={limit}"]
    words += [f"--kernel={kernel}"] if kernel else []
    words += [f"--top={top}"] if top else []
    return words + ([f"--nvtx={nvtx}"] if nvtx else [])


async def _extract(
    words: list[str], target: TargetFolder, folder: Folder, turns: Turns, how: tuple[float, Context]
) -> str:
    """Runs `extract` with these options and program; returns its messages."""
    async with turns.take() as own:
        made = own / target.path.name
        arguments = ["extract", "--end-all", f"--out={made}", *words]
        code, _, messages = await run(arguments, folder.root, *how)
        if code not in _WRITTEN or not made.is_dir():
            raise said(messages, code)
        try:
            await asyncio.to_thread(target.write, made)
        except OSError as error:
            raise ToolError(f"{target.path}: {error.strerror}") from None
    if code == 0:
        return ""
    last = _packets.code(messages[-600:].strip(), 500)
    return f"Not all went well; roofscope or the program wrote: {last}\n"


def _candidate(folder: Folder, launch: Path, name: str) -> Path:
    """The candidate: below the server's folder, or beside the launch."""
    path = folder.inside(name)
    if not path.is_file():
        path = folder.inside(f"{launch}/{name}")
    if not path.is_file():
        raise ToolError(f"no such file: {_packets.plain(name, 120)}")
    if path.suffix not in _CANDIDATES:
        raise ToolError("refused: a candidate ends in .cu, .py or .cubin")
    return path


def add_extract(made: MCPServer, folder: Folder, turns: Turns, longest: float) -> None:
    """Adds the tools to the server."""

    @made.tool(annotations=RUNS)
    async def extract(
        ctx: Context,
        out: Annotated[str, Field(description="Folder to make, or to show without a command")],
        command: Annotated[list[str], Field(description="As for record")] = [],  # noqa: B006
        kernel: Annotated[str, Field(description="Regular expression on its name")] = "",
        top: Annotated[
            int, Field(description="The kernels with the most time, a folder each", ge=0, le=100)
        ] = 0,
        *,
        launch: Annotated[str, Field(description="first, median, slowest or a number")] = "median",
        nvtx: Annotated[str, Field(description="Only in a range that matches this glob")] = "",
        limit: Annotated[str, Field(description="Memory that the launch may reach")] = "1GiB",
        time_limit: Annotated[float, Field(description="Seconds", gt=0)] = 300,
        part: PartNumber = 1,
    ) -> str:
        """Makes a folder of one kernel launch that replays it and judges edits in seconds."""
        note = ""
        if command:
            words = extract_words(kernel, top, launch, nvtx, limit)
            words += ["--", *folder.program(command)]
            how = (min(time_limit, longest), ctx)
            with contextlib.closing(TargetFolder(folder.root, folder.inside(out))) as target:
                note = await _extract(words, target, folder, turns, how)
        text = await asyncio.to_thread(_told, folder, out)
        return part_of(_packets.in_parts(note + text), part)

    @made.tool(annotations=RUNS)
    async def check(
        ctx: Context,
        launch: Annotated[str, Field(description="Folder of extract")],
        candidate: Annotated[
            str, Field(description="A .cu, .py or .cubin; without one: does the original replay?")
        ] = "",
        cache: Annotated[Literal["warm", "cold"], Field(description="L2 before a launch")] = "warm",
        *,
        tolerance: Annotated[float | None, Field(description="Relative, of floats", gt=0)] = None,
        sanitize: Annotated[bool, Field(description="compute-sanitizer first")] = False,
        python: Annotated[
            str, Field(description="For a .py: python3, or that of a virtual environment")
        ] = "python3",
        time_limit: Annotated[float, Field(description="Seconds", gt=0)] = 300,
    ) -> str:
        """Judges a kernel in place of the extracted one: better, not better, or wrong."""
        path = folder.launch(launch)
        words: list[str] = []
        program = ["/usr/bin/env"]
        if candidate:
            file = _candidate(folder, path, candidate)
            words = [str(file), "--cache", cache]
            words += ["--tolerance", repr(tolerance)] if tolerance is not None else []
            words += ["--sanitize"] if sanitize else []
            if file.suffix == ".py":
                program.append(f"PYTHON={folder.program([python, str(file)])[0]}")
        # Start it with the shell: env would take a path with "=" for a variable.
        program += ["/bin/sh", str(path / "check")]
        async with turns.take():
            limit = min(time_limit, longest)
            code, output, messages = await run(
                words, folder.root, limit, ctx, program=tuple(program), guarded=True
            )
        if code not in _VERDICTS:
            raise said(messages, code)
        packet = _packets.Packet()
        if output:
            packet.add("The folder's script `check` wrote, as data:")
        # The verdict comes last, after what the candidate itself printed.
        for line in _packets.quoted(output[-_MOST_SAID:]):
            packet.add(line)
        # The verdict says it all, unless nothing was compared.
        if not output or code == 2:
            packet.add(f"Messages: {_packets.code(messages[-1500:].strip(), 1200)}", 1)
        return packet.text()
