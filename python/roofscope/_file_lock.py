# SPDX-License-Identifier: Apache-2.0
"""A lock for files that several commands may read, change and write at the same time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from roofscope._executable import RoofscopeError


@contextlib.contextmanager
def locked(path: Path, patience: float = 60) -> Iterator[None]:
    """Locks the file against others of us while it is read, changed and written.

    Locks the folder, because the file itself is replaced. On file systems without locks it goes on
    without one. RoofscopeError (75) after so many seconds.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        lock_folder(folder, path, patience)
        yield
    finally:
        os.close(folder)


def lock_folder(folder: int, path: Path, patience: float = 60) -> None:
    """The same for the file's opened folder, until that is closed or unlock_folder()."""
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise RoofscopeError(f"{path}: another roofscope has it", 75) from None
            time.sleep(0.05)
            continue
        except OSError:
            pass
        return


def unlock_folder(folder: int) -> None:
    with contextlib.suppress(OSError):
        fcntl.flock(folder, fcntl.LOCK_UN)
