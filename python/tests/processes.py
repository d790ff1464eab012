# SPDX-License-Identifier: Apache-2.0
"""Waits for what other processes do, such as to end."""

import time
from collections.abc import Callable
from pathlib import Path


def gone(pid: int) -> bool:
    """Whether the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether the condition becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def all_gone(project: Path, seconds: float = 20) -> bool:
    """Whether the processes end that the file `pids` of the folder lists: two or more."""
    pids = [int(pid) for pid in (project / "pids").read_text().split()]
    assert len(pids) >= 2
    return wait_for(lambda: all(map(gone, pids)), seconds)
