# SPDX-License-Identifier: Apache-2.0
"""The command `roofscope` of a wheel: runs the executable, except for the commands in Python."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from roofscope._arguments import CommandParser
from roofscope._executable import RoofscopeError, executable


def _add_users_folders(relative: bool) -> None:
    """Adds to sys.path what Python's isolated mode (cli/python_commands.cpp) leaves out.

    That is PYTHONPATH (before installed packages but after Python's own modules) and the user's
    site-packages. `relative` includes entries relative to the current folder, for a command that
    runs the user's code anyway.
    """
    if not sys.flags.isolated:
        return
    import site

    named = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    if not relative:
        named = [folder for folder in named if os.path.isabs(folder)]
    packages = [i for i, folder in enumerate(sys.path) if folder.endswith("-packages")]
    first = packages[0] if packages else len(sys.path)
    sys.path[first:first] = [str(Path(folder).absolute()) for folder in named]
    # Skip in a virtual environment.
    if "PYTHONNOUSERSITE" not in os.environ and sys.prefix == sys.base_prefix:
        folder = Path(site.getusersitepackages())
        if folder.is_absolute() and folder.is_dir():
            site.addsitedir(str(folder))


def _show(arguments: list[str]) -> int:
    from roofscope import _packets
    from roofscope._profile import Profile

    parser = CommandParser(
        prog="roofscope show",
        description="One packet of at most 1,000 tokens: program, a kernel, a finding, a kernel's "
        "source or counters. `roofscope report --for-agent PROFILE` names the first ids.",
        epilog="Example: roofscope show k1e8913/shared-bank-conflict app.roofscope.json.gz",
    )
    parser.add_argument("id", metavar="ID", help="program, KERNEL, KERNEL/RULE, KERNEL/source, …")
    parser.add_argument("profile", nargs="?", help="default: the newest in this folder")
    parser.add_argument(
        "--window",
        choices=("auto", "loop", "run"),
        default="auto",
        help="what the program is judged by, as in `roofscope report`",
    )
    options = parser.parse_args(arguments)
    path = options.profile or _packets.newest_profile(Path.cwd())
    profile = _packets.read(Profile(path, options.window), options.id)
    sys.stdout.write(_packets.show(profile, options.id))
    return 0


def _loop(arguments: list[str]) -> int:
    from roofscope._loop import main as loop

    return loop(arguments)


def _mcp(arguments: list[str]) -> int:
    from importlib import util

    _add_users_folders(relative=False)
    parser = CommandParser(
        prog="roofscope mcp",
        description="Serves roofscope to an assistant over stdio, until its input ends.",
        epilog="Example: roofscope mcp --root /path/to/project",
    )
    parser.add_argument("--root", type=Path, help="only below this folder (default: here)")
    parser.add_argument(
        "--time-limit",
        type=float,
        default=600,
        help="time limit of one recording in seconds (default: 600)",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="NAME",
        help="also start this program of PATH (torchrun), or Python with -c, -m or '-m MODULE'; "
        "may be repeated",
    )
    options = parser.parse_args(arguments)
    root = options.root or Path.cwd()
    # Some assistants start servers in these folders, whatever project is open.
    if options.root is None and root in (Path("/"), Path.home()):
        raise RoofscopeError(f"mcp: all of {root} is too much: name a folder with --root", 64)
    if not root.is_dir():
        raise RoofscopeError(f"{root}: no such folder", 66)
    if util.find_spec("mcp") is None:
        raise RoofscopeError("the server needs the package mcp (pip install 'roofscope[mcp]')", 69)
    from roofscope._mcp_server import server

    server(root, options.time_limit, options.allow).run("stdio")
    return 0


def _setup(arguments: list[str]) -> int:
    from roofscope._setup import main as setup

    return setup(arguments)


def _ci(arguments: list[str]) -> int:
    from roofscope._ci import main as ci

    return ci(arguments)


def _try(arguments: list[str]) -> int:
    from roofscope._try import main as try_

    return try_(arguments)


def _review(arguments: list[str]) -> int:
    _add_users_folders(relative=True)
    from roofscope._review import main as review

    return review(arguments)


_OWN: dict[str, Callable[[list[str]], int]] = {
    "show": _show,
    "loop": _loop,
    "review": _review,
    "try": _try,
    "mcp": _mcp,
    "setup": _setup,
    "ci": _ci,
}


def _become(arguments: list[str]) -> int:
    """Replaces this process by the executable, which then gets signals and sets the exit code."""
    program = str(executable())
    # Python ignores SIGPIPE, and the executable would then complain about "| head".
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(program, [program, *arguments])


def main(arguments: list[str] | None = None) -> int:
    """Runs a command and returns its exit code; messages look like those of the executable."""
    return _reported(_run, sys.argv[1:] if arguments is None else arguments)


def loop_inside(root: str, arguments: list[str]) -> int:
    """`roofscope loop` for the server: opens no file outside of `root`."""
    from roofscope._loop import main as loop

    return _reported(lambda words: loop(words, Path(root)), arguments)


def _run(words: list[str]) -> int:
    if words and words[0] in _OWN:
        return _OWN[words[0]](words[1:])
    if (words[:1] == ["report"] and "--for-agent" in words) or (
        words[:1] == ["record"] and "--try" in words
    ):
        # The executable does its part and then calls this package again.
        os.environ.setdefault("ROOFSCOPE_EXECUTABLE", str(executable()))
        os.environ.setdefault("ROOFSCOPE_PYTHON", sys.executable)
    return _become(words)


def _reported(run: Callable[[list[str]], int], words: list[str]) -> int:
    """Runs a command and returns its exit code; prints its error to stderr."""
    try:
        code = run(words)
        # Else a reader that is gone shows only when Python ends, which then complains.
        sys.stdout.flush()
        if code > 128:  # by a signal: an impatient second one must not change the code
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
        return code
    except (RoofscopeError, FileNotFoundError) as error:
        # File names and contents may hold control characters, which must not reach the terminal.
        said = "".join(c if c.isprintable() else " " for c in str(error))
        print(f"roofscope: {said}", file=sys.stderr)
        return error.exit_code if isinstance(error, RoofscopeError) else 66
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 74


if __name__ == "__main__":
    sys.exit(main())
