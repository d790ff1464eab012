# SPDX-License-Identifier: Apache-2.0
"""Runs the executable and programs for `roofscope mcp`: with limits, progress and cleanup."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, BinaryIO

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from roofscope import _packets, _report_json
from roofscope._executable import executable
from roofscope._mcp_folder import Target
from roofscope._own_folder import OwnFolder
from roofscope._profile import Profile, Window

#: For clients that ask their user before a tool runs a program.
RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)
PartNumber = Annotated[int, Field(description="Part of a long answer; each names the next")]
#: Seconds for the executable to end after SIGTERM; it waits 5 for the program.
GRACE = 8
#: Seconds between progress messages.
_PAUSE = 0.5
#: Bytes to keep: of an answer, of a JSON report, and of the end of the messages.
_MOST_OUTPUT, _MOST_JSON, _MOST_MESSAGES = 1 << 20, 512 << 20, 1 << 16
#: Time limit of an answer, in seconds.
ANSWER_LIMIT = 120
#: Recordings that may wait for the running one.
_WAITING = 8


def part_of(parts: list[str], number: int) -> str:
    """Part `number` of an answer that does not fit into one packet; each part names the next."""
    if not 1 <= number <= len(parts):
        raise ToolError(f"there is no part {number}: the answer has {len(parts)}")
    return parts[number - 1]


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Waits for the process. Process.wait() also waits for children that keep its output open."""
    while process.returncode is None:
        await asyncio.sleep(0.02)


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Ends the executable, which ends what it started: SIGTERM first, then SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        try:
            await asyncio.wait_for(_ended(process), GRACE)
        except asyncio.TimeoutError:
            continue
        break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_with_server() -> None:
    """Runs in the child: makes it end with this server, even if that is killed (Linux)."""
    import ctypes

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


async def _follow(stream: asyncio.StreamReader, kept: bytearray, progress: Context | None) -> None:
    """Keeps the end of the messages and reports their last line as progress now and then."""
    told, step, unsaid = 0.0, 0, ""

    async def say() -> None:
        nonlocal told, step, unsaid
        if progress is not None and unsaid:
            told, step = time.monotonic(), step + 1
            await progress.report_progress(step, None, unsaid)
            unsaid = ""

    while chunk := await stream.read(1 << 16):
        kept += chunk
        del kept[:-_MOST_MESSAGES]
        lines = chunk[-4096:].decode("utf-8", "replace").replace("\r", "\n").strip().splitlines()
        if lines:
            unsaid = _packets.plain(lines[-1], 160)
        if time.monotonic() - told >= _PAUSE:
            await say()
    await say()


def _text(raw: bytes | bytearray) -> str:
    return raw.decode("utf-8", "replace")


async def _collect(stream: asyncio.StreamReader, kept: BinaryIO, most: int) -> None:
    while chunk := await stream.read(1 << 16):
        written = kept.write(chunk[:most])
        most -= written  # discard the rest: the program may print without end


async def run(
    arguments: list[str],
    root: Path,
    limit: float,
    progress: Context | None = None,
    *,
    output: BinaryIO | None = None,
    program: tuple[str, ...] = (),
    guarded: bool = False,
) -> tuple[int, str, str]:
    """Exit code, output and last messages of the executable; ToolError after `limit` seconds.

    `program`: another program to run instead, with its first arguments. `guarded`: with it ends
    all that it has started. (`record` and `try` see to that themselves.)

    Output goes to the file `output` if one is given; the returned text is then empty.
    """
    words = [*(program or (str(executable()),)), *arguments]
    if guarded:
        words = [str(executable()), "guard", "--", *words]
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            # A guard waits for its end, which comes with ours.
            stdin=asyncio.subprocess.PIPE if guarded else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=root,
            start_new_session=True,
            preexec_fn=_end_with_server,
        )
    except ValueError:  # a NUL, or half of a surrogate pair
        raise ToolError("refused: an argument has characters that no program can get") from None
    except OSError as error:
        raise ToolError(f"{words[0]} cannot be started: {error.strerror}") from None
    assert process.stdout is not None and process.stderr is not None
    answer, messages = io.BytesIO(), bytearray()
    kept, most = (output, _MOST_JSON) if output else (answer, _MOST_OUTPUT)
    readers = [
        asyncio.create_task(_collect(process.stdout, kept, most)),
        asyncio.create_task(_follow(process.stderr, messages, progress)),
    ]
    try:
        async with asyncio.timeout(limit) if sys.version_info >= (3, 11) else _timeout(limit):
            await _ended(process)
            # The output is complete by now or soon; do not wait for its end, since a child may keep
            # it open.
            await asyncio.wait(readers, timeout=1)
    except TimeoutError:
        raise ToolError(f"ended after the time limit of {limit:g} s") from None
    finally:  # also after a cancelled call
        for reader in readers:
            reader.cancel()
        if process.returncode is None:
            with anyio.CancelScope(shield=True):
                await _stop(process)
        process._transport.close()  # type: ignore[attr-defined]
    return process.returncode or 0, _text(answer.getvalue()), _text(messages)


@contextlib.asynccontextmanager
async def _timeout(seconds: float):  # type: ignore[no-untyped-def]
    """Stands in for asyncio.timeout, which is new in Python 3.11."""
    task = asyncio.current_task()
    assert task is not None
    late = False

    def ring() -> None:
        nonlocal late
        late = True
        task.cancel()

    handle = asyncio.get_running_loop().call_later(seconds, ring)
    try:
        yield
    except asyncio.CancelledError:
        if late:
            raise TimeoutError from None
        raise
    finally:
        handle.cancel()


def refused(messages: str, code: int) -> ToolError:
    """The executable's one sentence, as data. No program ran that could have written it."""
    lines = messages.strip().splitlines()
    if not lines:
        return ToolError(f"ended with {code}")
    return ToolError(_packets.code(lines[-1].removeprefix("roofscope: "), 700))


def said(messages: str, code: int) -> ToolError:
    """The error, quoting the executable or the program as data."""
    last = messages[-800:].strip()
    if not last:
        return ToolError(f"ended with {code}")
    return ToolError(
        f"ended with {code}; roofscope or the program wrote: {_packets.code(last, 700)}"
    )


async def read(file: Path, root: Path, identity: str, window: Window = "auto") -> Profile:
    """The profile with the data for this packet, read by a subprocess with a time limit."""
    arguments = ["report", "--format", "json", f"--window={window}", "--", str(file)]
    with tempfile.TemporaryFile() as text:
        code, _, messages = await run(arguments, root, ANSWER_LIMIT, output=text)
        if code != 0:
            raise refused(messages, code)
        text.seek(0)
        profile = Profile(file, window)
        try:
            profile.data = await asyncio.to_thread(
                _report_json.read, text, _packets.wants(identity)
            )
        except ValueError:
            raise ToolError(f"its report has more than {_MOST_JSON >> 20} MB") from None
    return profile


async def keep(written: Path, target: Target) -> None:
    try:
        await asyncio.to_thread(target.write, written)
    except OSError as error:
        raise ToolError(f"{target.path}: {error.strerror}") from None


class Turns:
    """One program is measured at a time: concurrent ones would disturb each other's timing."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._one = asyncio.Lock()
        self._waiting = 0

    @contextlib.asynccontextmanager
    async def take(self) -> AsyncIterator[Path]:
        """Waits for its turn, then yields a new folder (the client's could contain links).

        ToolError if too many are already waiting.
        """
        if self._waiting >= _WAITING:
            raise ToolError(f"refused: {_WAITING} recordings are waiting already")
        self._waiting += 1
        try:
            await self._one.acquire()
        finally:
            self._waiting -= 1
        try:
            with OwnFolder() as own:
                yield own
        finally:
            self._one.release()

    async def record(
        self, words: list[str], target: Target, limit: float, progress: Context
    ) -> tuple[int, Profile]:
        """Runs `record` with these options and program; returns its exit code and profile."""
        async with self.take() as own:
            return await self._record(words, own / target.path.name, target, (limit, progress))

    async def _record(
        self, words: list[str], written: Path, target: Target, how: tuple[float, Context]
    ) -> tuple[int, Profile]:
        out = ["--out", str(written).replace("%", "%%")]
        arguments = ["record", "--end-all", *out, *words]
        try:
            code, _, messages = await run(arguments, self._root, *how)
        except ToolError as late:
            if not written.is_file():
                raise
            await keep(written, target)
            raise ToolError(f"{late}; the measured part is kept") from None
        if not written.is_file():
            raise said(messages, code)
        await keep(written, target)
        profile = await read(written, self._root, "program")
        profile.path = target.path
        return code, profile
