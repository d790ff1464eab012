# SPDX-License-Identifier: Apache-2.0
"""Signals that end `roofscope try`: first the started program ends, then all is cleaned up."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked us to end. What was measured so far is still shown."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.number = number


class _State:
    """Whether signals are held back, and the signal that is waiting."""

    held = 0
    waiting: int | None = None


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _State.held:
        _State.waiting = number
        return
    for each in _NUMBERS:  # the program is being ended, which takes 10 s at most
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)


@contextlib.contextmanager
def signals_interrupt() -> Iterator[None]:
    """A signal raises Interrupted in this block, once. Ignored signals (nohup) stay ignored.

    After Interrupted, further signals are ignored until its end, so that results can be shown.
    """
    before = {number: signal.getsignal(number) for number in _NUMBERS}
    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    _State.waiting = None
    try:
        for number in taken:
            signal.signal(number, _interrupt)
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Holds a signal back until the end of this block, then raises Interrupted.

    For steps that must be completed, such as starting a program and noting its process.
    """
    _State.held += 1
    try:
        yield
    finally:
        _State.held -= 1
        if not _State.held and (number := _State.waiting) is not None:
            _State.waiting = None
            _interrupt(number, None)
