# SPDX-License-Identifier: Apache-2.0
"""Temporary folders that are removed soon after their process ends, even if it is killed."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
from pathlib import Path

#: As in collector/run/processes/temporary_folder.cpp: before each recording and each run of `try`,
#: the executable removes the folders with this mark whose owner has gone.
_MARK = b"temporary folder of roofscope, removed with its owner\n"


class OwnFolder:
    """Creates a folder in the folder for temporary files; a context manager that yields its path.

    OSError if it cannot be created. remove() may be called more than once.
    """

    def __init__(self) -> None:
        self.path = _made()
        self._lock = -1
        try:
            self._lock = os.open(
                self.path / "owner", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600
            )
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(self._lock, _MARK)
        except OSError:
            self.remove()
            raise

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def _made() -> Path:
    parent = Path(tempfile.gettempdir())
    for _ in range(100):
        path = parent / f"roofscope-{secrets.token_hex(3)}"
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"no free name for a temporary folder in {parent}")
