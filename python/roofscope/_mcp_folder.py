# SPDX-License-Identifier: Apache-2.0
"""What `roofscope mcp` may read, write and start: the server's folder, and what its user allows."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

from roofscope import _file_lock, _packets
from roofscope._executable import RoofscopeError, places_in_path

#: Names of Python interpreters. They may run a script below the folder.
_PYTHON = re.compile(r"python(\d+(\.\d+)?)?t?")
#: What `--allow` accepts besides a program's name.
_ALLOWED_OPTIONS = re.compile(r"-c|-m( [A-Za-z_][\w.]*)?")
#: Flags to open a folder, but no link.
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PROFILE_ENDS = (".roofscope.json", ".roofscope.json.gz")
#: At most this many files and folders are searched for profiles.
_MOST_ENTRIES = 200_000


def allow_list(entries: Iterable[str]) -> frozenset[str]:
    """The entries of `--allow`; RoofscopeError (64) for an invalid one."""
    allowed = frozenset(entries)
    for entry in allowed:
        if not (_ALLOWED_OPTIONS.fullmatch(entry) or re.fullmatch(r"[A-Za-z0-9_][\w.+-]*", entry)):
            raise RoofscopeError(
                f'mcp: --allow {entry}: give the name of a program in PATH, -c, -m or "-m MODULE"',
                64,
            )
    return allowed


def _open_below(root: Path, folder: Path) -> int:
    """Opens a folder below `root`, following no link."""
    opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folder.relative_to(root).parts:
            inner = os.open(part, _FOLDER, dir_fd=opened)
            os.close(opened)
            opened = inner
    except OSError:
        os.close(opened)
        raise
    return opened


class Target:
    """A file below the server's folder that will be written.

    Its folder is kept open, so that a change of the path in between cannot redirect the write."""

    def __init__(self, root: Path, path: Path) -> None:
        self.path = path
        try:
            self._folder = _open_below(root, path.parent)
        except OSError as error:
            raise ToolError(f"refused: {path.parent}: {error.strerror}") from None
        try:
            there = self._there()
            if there is not None and not stat.S_ISREG(there.st_mode):
                raise ToolError(f"refused: {_packets.plain(path.name, 120)} is not a regular file")
            if not os.access(".", os.W_OK, dir_fd=self._folder):
                raise ToolError(f"refused: nothing can be written to {path.parent}")
        except OSError as error:
            self.close()
            raise ToolError(f"refused: {path.parent}: {error.strerror}") from None
        except ToolError:
            self.close()
            raise

    def _there(self) -> os.stat_result | None:
        with contextlib.suppress(FileNotFoundError):
            return os.stat(self.path.name, dir_fd=self._folder, follow_symlinks=False)
        return None

    @contextlib.contextmanager
    def locked(self, patience: float) -> Iterator[None]:
        """Locks the file as `_file_lock.locked` does. RoofscopeError (75) after so many seconds."""
        _file_lock.lock_folder(self._folder, self.path, patience)
        try:
            yield
        finally:
            _file_lock.unlock_folder(self._folder)

    def read(self) -> bytes | None:
        """What the file holds; None if there is none, or it is no regular file any more."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with contextlib.suppress(OSError):
            file = os.open(self.path.name, flags, dir_fd=self._folder)
            with os.fdopen(file, "rb") as opened:
                if stat.S_ISREG(os.fstat(file).st_mode):
                    return opened.read()
        return None

    def write(self, source: Path) -> None:
        """Copies `source` there. If the name has become a link, the link is replaced."""
        part = f".roofscope-{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(part, flags, 0o666, dir_fd=self._folder)
        try:
            with source.open("rb") as read, os.fdopen(file, "wb") as written:
                if (there := self._there()) is not None and stat.S_ISREG(there.st_mode):
                    os.fchmod(file, stat.S_IMODE(there.st_mode))
                shutil.copyfileobj(read, written)
            os.replace(part, self.path.name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(part, dir_fd=self._folder)
            raise

    def close(self) -> None:
        os.close(self._folder)


class TargetFolder:
    """A folder below the server's folder that will be created; works like `Target`."""

    def __init__(self, root: Path, path: Path) -> None:
        self.path = path
        if path == root:
            raise ToolError("refused: the server's folder exists already")
        try:
            self._parent = _open_below(root, path.parent)
        except OSError as error:
            raise ToolError(f"refused: {path.parent}: {error.strerror}") from None
        if os.access(path.name, os.F_OK, dir_fd=self._parent, follow_symlinks=False):
            self.close()
            raise ToolError(f"refused: {_packets.plain(path.name, 120)} exists already")
        if not os.access(".", os.W_OK, dir_fd=self._parent):
            self.close()
            raise ToolError(f"refused: nothing can be written to {path.parent}")

    def write(self, source: Path) -> None:
        """Copies the folder `source` there. It appears only when it is complete."""
        part = f".roofscope-{secrets.token_hex(8)}"
        os.mkdir(part, dir_fd=self._parent)
        try:
            _copy_into(source, part, self._parent)
            os.rename(part, self.path.name, src_dir_fd=self._parent, dst_dir_fd=self._parent)
        except OSError:
            with contextlib.suppress(OSError):
                _remove(part, self._parent)
            raise

    def close(self) -> None:
        os.close(self._parent)


def _copy_into(source: Path, name: str, parent: int) -> None:
    """Copies what is in `source` into the empty folder `name` of `parent`, with modes and times."""
    folder = os.open(name, _FOLDER, dir_fd=parent)
    try:
        for entry in os.scandir(source):
            there = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(there.st_mode):
                os.mkdir(entry.name, dir_fd=folder)
                _copy_into(Path(entry.path), entry.name, folder)
            elif stat.S_ISREG(there.st_mode):
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                file = os.open(entry.name, flags, 0o666, dir_fd=folder)
                with Path(entry.path).open("rb") as read, os.fdopen(file, "wb") as written:
                    shutil.copyfileobj(read, written)
                    written.flush()
                    os.fchmod(file, stat.S_IMODE(there.st_mode))
                    os.utime(file, ns=(there.st_atime_ns, there.st_mtime_ns))
    finally:
        os.close(folder)


def _remove(name: str, parent: int) -> None:
    for _, folders, files, inside in os.fwalk(name, topdown=False, dir_fd=parent):
        for one in files:
            os.unlink(one, dir_fd=inside)
        for one in folders:
            os.rmdir(one, dir_fd=inside)
    os.rmdir(name, dir_fd=parent)


class Folder:
    """The server's folder. All files must be inside it after links are resolved.

    Only a Python interpreter may lie outside: in PATH, or behind the link of a virtual environment
    in the folder. `allowed` names programs in PATH, and options of Python, that may be used, too.
    """

    def __init__(self, root: Path, allowed: Iterable[str] = ()) -> None:
        self.root = root.resolve(strict=True)
        self._allowed = allow_list(allowed)

    def inside(self, name: str) -> Path:
        """The resolved path of this name; ToolError if it is outside of the folder."""
        try:
            path = (self.root / name).resolve()
            path.is_file()  # fails for a name that is too long or has a NUL
        except (OSError, ValueError, RuntimeError):
            raise ToolError(f"refused: {_packets.plain(name, 120)} is not a file name") from None
        if "\0" in name or not path.is_relative_to(self.root):
            raise ToolError(f"refused: {_packets.plain(name, 120)} is outside of {self.root}")
        return path

    def profile(self, name: str) -> Path:
        """The path of an existing profile."""
        path = self.inside(name)
        if not path.is_file():
            raise ToolError(f"no such profile: {_packets.plain(name, 120)}")
        return path

    def profiles(self) -> list[str]:
        """A line for each profile, the newest first: name, time of the file, size."""
        found: list[tuple[float, str]] = []
        seen = 0
        for folder, folders, files in os.walk(self.root):
            folders[:] = [f for f in folders if not f.startswith(".") and f != "node_modules"]
            seen += len(folders) + len(files)
            for file in files:
                path = Path(folder, file)
                if not file.endswith(_PROFILE_ENDS):
                    continue
                try:
                    there = path.lstat()
                except OSError:
                    continue
                # Links are left out: report and show would refuse those that lead outside.
                if not stat.S_ISREG(there.st_mode):
                    continue
                when = datetime.fromtimestamp(there.st_mtime, timezone.utc)
                name = _packets.code(str(path.relative_to(self.root)), 200)
                size = _packets.number(float(there.st_size), "bytes")
                line = f"- {name}: written {when:%Y-%m-%d %H:%M} UTC, {size}"
                found.append((there.st_mtime, line))
            if seen > _MOST_ENTRIES:
                found.append((0, f"- stopped after {_MOST_ENTRIES:,} files: name others yourself"))
                break
        return [line for _, line in sorted(found, reverse=True)]

    def target(self, name: str) -> Target:
        """A profile to write. The caller closes it."""
        if "%" in name:
            raise ToolError("refused: a profile name must not contain %")
        path = self.inside(name)
        if not path.name.endswith(_PROFILE_ENDS):
            raise ToolError("refused: a profile ends in .roofscope.json or .roofscope.json.gz")
        return Target(self.root, path)

    def launch(self, name: str) -> Path:
        """An existing folder of `roofscope extract`."""
        path = self.inside(name)
        if not (path / "launch.json").is_file() or not self.inside(f"{path}/check").is_file():
            raise ToolError(f"{_packets.plain(name, 120)} is no folder of extract")
        return path

    def program(self, command: list[str]) -> list[str]:
        """The command to run: a program of the folder, Python with a script, or an allowed one."""
        if not command:
            raise ToolError("refused: no program was named")
        place, rest = self._place(command[0]), command[1:]
        if _PYTHON.fullmatch(place.name) or _PYTHON.fullmatch(place.resolve().name):
            rest = self._python(_packets.plain(command[0], 120), rest)
        return [str(place), *rest]

    def _place(self, name: str) -> Path:
        """The program's path. A name without "/" is looked for in PATH, as a shell does."""
        if "/" in name:
            return self._own(name)
        trusted = name in self._allowed or _PYTHON.fullmatch(name) is not None
        if not trusted and self.inside(name).is_file():
            return self._own(name)
        shown = _packets.plain(name, 120)
        for place in places_in_path(name):
            with contextlib.suppress(OSError, ValueError):
                if place.is_file() and os.access(place, os.X_OK):
                    if trusted or place.parent.resolve().is_relative_to(self.root):
                        return place if trusted else self._own(str(place))
                    raise ToolError(
                        f"refused: {shown} is outside of {self.root} (the user may start the "
                        f"server with --allow {shown})"
                    )
        if trusted:
            raise ToolError(f"{shown} was not found in PATH")
        raise ToolError(f"no such file: {shown}")

    def _own(self, name: str) -> Path:
        """A program that lies in the folder itself; only a link to Python may lead outside."""
        parent, _, last = name.rpartition("/")
        path = self.inside(parent or ("/" if "/" in name else ".")) / last
        shown = _packets.plain(name, 120)
        try:
            if last in ("", ".", "..") or not path.is_file():
                raise ToolError(f"no such file: {shown}")
            real = path.resolve()
        except (OSError, ValueError, RuntimeError):
            raise ToolError(f"refused: {shown} is not a file name") from None
        if _PYTHON.fullmatch(path.name) and _PYTHON.fullmatch(real.name):
            return path  # Python finds the environment by the path of the link
        return self.inside(str(real))

    def _python(self, name: str, rest: list[str]) -> list[str]:
        """Python's arguments: a script below the folder, or what the user allowed."""
        first = rest[0] if rest else ""
        if first in ("-c", "-m") and len(rest) > 1:
            if first in self._allowed or f"{first} {rest[1]}" in self._allowed:
                return rest
            raise ToolError(
                f"refused: {name} {first} needs a server that its user started with --allow={first}"
            )
        if not first or first.startswith("-"):
            raise ToolError(f"refused: {name} has to be followed by a script of the folder")
        return [str(self._file(first)), *rest[1:]]

    def _file(self, name: str) -> Path:
        path = self.inside(name)
        if not path.is_file():
            raise ToolError(f"no such file: {_packets.plain(name, 120)}")
        return path
