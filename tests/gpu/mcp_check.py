#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An assistant's session with a real program: record, find a source line, compare.

    ROOFSCOPE_EXECUTABLE=… ROOFSCOPE_INJECT=… PYTHONPATH=python tests/gpu/mcp_check.py PROGRAM

PROGRAM is waits_program (built with -lineinfo). The client is from the official SDK (package
`mcp`). Exits with 1 if something failed, with 77 without a GPU or the SDK. python/tests/test_mcp.py
has the tests that need no GPU (refusals, time limits, cancelled calls, a killed server)."""

import asyncio
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

try:
    from mcp import Client, StdioServerParameters
    from roofscope import _packets
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not Path("/dev/nvidiactl").exists():
    print("skipped: no GPU")
    sys.exit(77)

# A chain of dependent loads, and the same work without the chain.
SLOW, QUICK = "chase", "chaseHidden"


def text(answer) -> str:
    return "".join(part.text for part in answer.content)


async def session(folder: Path) -> list[str]:
    """Runs the session; returns what went wrong."""
    wrong: list[str] = []
    heard: list[str] = []

    async def progress(_done, _total, message) -> None:
        heard.append(message)

    async def call(client, tool: str, **arguments) -> str:
        answer = await client.call_tool(tool, arguments, progress_callback=progress)
        packet = text(answer)
        print(f"--- {tool} {arguments}\n{packet}\n", flush=True)
        if answer.is_error:
            wrong.append(f"{tool}: {packet[:300]}")
        if _packets.estimate_tokens(packet) > _packets.LIMIT:
            wrong.append(f"{tool}: {_packets.estimate_tokens(packet)} tokens")
        return packet

    words = ["-m", "roofscope", "mcp", "--root", str(folder)]
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    async with Client(server) as client:
        print(sorted(tool.name for tool in (await client.list_tools()).tools))
        program = await call(
            client, "record", command=["program"], out="slow.roofscope.json.gz",
            options=[rf"--kernel=\b{SLOW}\(", "--source=top:1"])
        if not heard:
            wrong.append("record told no progress")
        # What an assistant asks next: the first action, its finding, the source.
        action = next((line for line in program.splitlines() if line.startswith("1. ")), "1. :")
        told = await call(client, "show", id=action.split()[1].rstrip(":"),
                          profile="slow.roofscope.json.gz")
        named = re.search(r"roofscope show (k\w+)/([\w-]+)", told)
        kernel, rule = named.groups() if named else ("", "")
        finding = await call(
            client, "show", id=f"{kernel}/{rule}", profile="slow.roofscope.json.gz")
        source = await call(
            client, "show", id=f"{kernel}/source", profile="slow.roofscope.json.gz")
        if not re.search(r"waits_program\.cu:\d+", finding):
            wrong.append("the finding names no line")
        if not re.search(r"waits_program\.cu`$.*^> *\d+ ", source, re.MULTILINE | re.DOTALL):
            wrong.append("the source marks no line")
        await call(client, "record", command=["program"], out="quick.roofscope.json.gz",
                   options=[rf"--kernel=\b{QUICK}\(", "--effort=quick"])
        compared = await call(client, "compare", baseline="slow.roofscope.json.gz",
                              candidate="quick.roofscope.json.gz")
        if QUICK not in compared:
            wrong.append("compare does not name the kernel")
    left = {path.name for path in folder.iterdir()}
    if left != {"program", "slow.roofscope.json.gz", "quick.roofscope.json.gz"}:
        wrong.append(f"left behind: {left}")
    return wrong


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy2(sys.argv[1], folder / "program")
        wrong = asyncio.run(session(folder))
    for line in wrong:
        print(f"FAILED: {line}")
    print("FAILED" if wrong else "OK")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
