# SPDX-License-Identifier: Apache-2.0
"""Reads a report's JSON piece by piece; writes JSON of our own.

With tens of thousands of kernels it has hundreds of megabytes, and several times that as Python
objects."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

#: Fields of a kernel that lists of kernels and findings need.
_OF_ALL = (
    "rank", "id", "name", "full_name", "range", "device", "grid", "block", "cluster",
    "registers_per_thread", "static_shared_bytes", "dynamic_shared_bytes", "launches", "duration",
    "time_share_ratio", "verdict",
)  # fmt: skip
_EMPTY_SOURCE: dict[str, list[Any]] = {"lines": [], "instructions": []}


class _Pieces:
    """Parses the values of a JSON text one by one."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._scan = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0

    def _more(self) -> bool:
        """Doubles the text in memory, so that a long value is not parsed anew too often."""
        rest = self._text[self._at :]
        raw = self._stream.read(max(1 << 20, len(rest)))
        self._text, self._at = rest + self._decode.decode(raw, not raw), 0
        return bool(raw)

    def peek(self) -> str:
        """The next non-blank character; ValueError at the end."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace():
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                raise ValueError("the report ends too early")

    def skip(self, wanted: str) -> None:
        if self.peek() != wanted:
            raise ValueError(f"the report has no {wanted!r} where it should")
        self._at += 1

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                found, end = self._scan(self._text, self._at)
            except ValueError:
                if not self._more():
                    raise
                continue
            if end == len(self._text) and self._more():  # a number may continue
                continue
            self._at = end
            return found

    def members(self) -> Iterator[str]:
        """Keys of an object; the caller must read the value after each key."""
        self.skip("{")
        while self.peek() != "}":
            key = self.value()
            if not isinstance(key, str):
                raise ValueError("the report has a key that is no text")
            self.skip(":")
            yield key
            if self.peek() == ",":
                self._at += 1
        self._at += 1

    def items(self) -> Iterator[Any]:
        """Values of an array."""
        self.skip("[")
        while self.peek() != "]":
            yield self.value()
            if self.peek() == ",":
                self._at += 1
        self._at += 1


def written(data: Any) -> str:
    """The JSON text of a file. Invisible characters, and bytes of names that are not UTF-8, are
    escaped."""
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _shared(value: Any) -> Any:
    """The value with equal strings shared: most kernels have the same keys and sentences."""
    if isinstance(value, str):
        return sys.intern(value)
    if isinstance(value, dict):
        return {sys.intern(key): _shared(one) for key, one in value.items()}
    return [_shared(one) for one in value] if isinstance(value, list) else value


def _without_numbers(raw: dict[str, Any], moves: bool) -> dict[str, Any]:
    """A kernel without its quantities, and its findings without evidence."""
    kernel = {key: _shared(raw[key]) for key in _OF_ALL if key in raw}
    dropped: dict[str, list[Any]] = {"evidence": [], "places": []}
    if not moves:
        dropped["expected"] = []
    kernel["findings"] = [_shared(found | dropped) for found in raw["findings"]]
    kernel.update(quantities={}, missing={}, ruled_out=[], cannot_tell=[])
    if raw.get("source"):
        kernel["source"] = _EMPTY_SOURCE
    return kernel


def read(
    stream: BinaryIO, whole: Callable[[dict[str, Any]], bool], *, moves: bool = False
) -> dict[str, Any]:
    """The report; only kernels for which `whole(kernel)` holds keep their quantities.

    With `moves` all findings keep what their edit should move. Raises ValueError if the text is
    not a report.
    """
    pieces = _Pieces(stream)
    data: dict[str, Any] = {}
    for key in pieces.members():
        if key == "kernels":
            kernels = pieces.items()
            data[key] = [raw if whole(raw) else _without_numbers(raw, moves) for raw in kernels]
        else:
            data[key] = pieces.value()
    return data


def read_comparison(stream: BinaryIO, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """A comparison, only with those kernels for which `wanted(kernel)` holds."""
    pieces = _Pieces(stream)
    data: dict[str, Any] = {}
    for key in pieces.members():
        if key == "kernels":
            data[key] = [raw for raw in pieces.items() if wanted(raw)]
        else:
            data[key] = pieces.value()
    return data
