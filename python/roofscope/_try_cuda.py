# SPDX-License-Identifier: Apache-2.0
"""Whether a program loads CUDA, for `roofscope try`: else a CUDA switch cannot help it."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

#: Seconds between two looks: at first, and at most. CUDA takes longer than the first to start.
_FIRST, _MOST = 0.02, 0.5


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError, ValueError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def has_cuda(process: int) -> bool:
    """Whether this process, or one that it started, has the CUDA driver's library loaded; also
    true where that cannot be seen (another user's process, a kernel that lists no children)."""
    if not Path("/proc/thread-self/children").exists():
        return True
    waiting = [process]
    for one in waiting:  # grows
        try:
            if b"/libcuda.so" in Path(f"/proc/{one}/maps").read_bytes():
                return True
        except PermissionError:
            return True
        except OSError:
            pass  # it has ended
        waiting += _children(one)
    return False


class CudaWatch:
    """Looks, until it is closed or has seen it, whether a running program has loaded CUDA."""

    def __init__(self, process: int) -> None:
        self.seen = False
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(process,), daemon=True)
        self._thread.start()

    def _watch(self, process: int) -> None:
        pause = _FIRST
        here = Path(f"/proc/{process}")
        while not self.seen and not self._end.wait(pause) and here.exists():
            self.seen = has_cuda(process)
            pause = min(pause * 1.2, _MOST)

    def close(self) -> bool:
        """Ends the looking; whether CUDA was loaded."""
        self._end.set()
        self._thread.join()
        return self.seen
