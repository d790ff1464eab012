# SPDX-License-Identifier: Apache-2.0
"""Compares the numbers that runs of a program print: losses, scores, sums.

Numbers of two outputs correspond if their lines have the same words and come in the same order.
Only numbers that agree between plain runs are compared with a trial's; others (times, addresses)
say nothing about the trial.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

#: Plain runs may differ by this share: sums of floats depend on their order.
_STEADY = 1e-3
#: A difference is relative to the value, or to this share of the curve's largest value if larger.
_OF_CURVE = 0.1
#: So many characters of a line, and so many before a number, are examined.
_LONGEST_LINE, _BEFORE = 2000, 40
#: At most so many numbers of an output are compared.
_MOST_NUMBERS = 300_000
#: A progress bar, or a date or a time of day just before its day or minute.
_BAR, _CLOCK = "%|", re.compile(r"\d[:-]$")

_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:0x[0-9a-f]+|\d+(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*(?:e[-+]?\d+)?|"
    r"\.\d+(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?!\w|\.\w)",
    re.I,
)
#: What follows a time, a rate or an amount of memory. They may change.
_UNIT = re.compile(
    r"\s?(?:(?:[numµ]?s|secs?|seconds?|msecs?|usecs?|min(?:ute)?s?|h(?:ours?)?|hrs?|[kmgt]i?b|bytes|"
    r"fps|[kmgt]?flops?|[kmg]?hz|w|it)\b|[^\s\d,;:)\]]{0,20}/\s?s(?:ec)?\b)|[x×]|[:-]\d",
    re.I,
)
#: What precedes a time, a rate or an amount of memory.
_NAMES_TIME = re.compile(
    r"(?:time|elapsed|took|duration|latency|throughput|speed|rate/s|fps|qps|eta|memory|mem|"
    r"allocated|reserved|seconds?|secs?|[mu]s|pid|port|per[_ ]sec(?:ond)?)\W{0,4}$",
    re.I,
)
#: What precedes a number that only counts or configures.
_NAMES_COUNT = re.compile(
    r"(?:step|epoch|iter(?:ation)?s?|batch(?:es)?|rank|device|cuda|gpus?|seed|workers?|"
    r"param(?:eter)?s|size|layers?|heads?|dim|of|/)\W{0,4}(?:size\W{0,3})?$",
    re.I,
)


@dataclass(frozen=True)
class Difference:
    """How far the numbers printed in a trial differ."""

    compared: int  #: numbers
    largest: float | None  #: the largest relative difference; None if nothing could be compared
    missing: int  #: numbers that the trial does not print
    where: str  #: the words around the number that differs most

    def within(self, tolerance: float) -> bool | None:
        """Whether the results are unchanged; None if nothing could be compared."""
        if self.largest is None:
            return None
        return self.missing == 0 and self.largest <= tolerance


#: A series: the words of its lines, and which number of the line.
_Key = tuple[str, int]


def _value(text: str) -> float | None:
    if "0x" in text.lower():
        return None  # an address
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def series(output: str) -> dict[_Key, list[tuple[float, bool]]]:
    """The numbers of an output by their place: the value, and whether it is a result by itself.

    Times, rates, sizes of memory and addresses are left out. A number that only counts is not a
    result by itself.
    """
    found: dict[_Key, list[tuple[float, bool]]] = defaultdict(list)
    left = _MOST_NUMBERS
    for line in re.split(r"[\r\n]+", output):
        text = line[:_LONGEST_LINE]
        if _BAR in text:  # how often it is drawn depends on the time
            continue
        if left <= 0:
            break
        words = " ".join(_NUMBER.sub("#", text).split())
        for place, match in enumerate(_NUMBER.finditer(text)):
            left -= 1
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            value = _value(match.group())
            time = _UNIT.match(text, match.end()) or _CLOCK.search(before)
            if value is None or time or _NAMES_TIME.search(before):
                continue
            counts = value.is_integer() and "." not in match.group()
            counts = counts and (_NAMES_COUNT.search(before) is not None)
            found[words, place].append((value, not counts))
    return dict(found)


def _is_count(values: Sequence[float]) -> bool:
    """Whether these are whole numbers in equal steps: 10, 20, 30."""
    if len(values) < 2 or not all(math.isfinite(v) and v.is_integer() for v in values):
        return False
    return len({b - a for a, b in itertools.pairwise(values)}) == 1


def _distance(a: float, b: float, scale: float) -> float:
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(a - b) / max(abs(a), scale * _OF_CURVE, 1e-300)


class Reference:
    """The numbers that agree between plain runs."""

    def __init__(self, outputs: Sequence[str]) -> None:
        first, *others = [series(output) for output in outputs]
        #: Values by place; None where plain runs differ.
        self._steady: dict[_Key, list[float | None]] = {}
        self._scale: dict[_Key, float] = {}
        self.count = 0  #: results that agree
        for key, pairs in first.items():
            values = [value for value, _ in pairs]
            scale = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
            kept: list[float | None] = []
            for i, value in enumerate(values):
                rivals = [other.get(key, []) for other in others]
                agrees = all(
                    i < len(rival) and _distance(value, rival[i][0], scale) <= _STEADY
                    for rival in rivals
                )
                kept.append(value if agrees else None)
            if any(value is not None for value in kept):
                self._steady[key], self._scale[key] = kept, scale
            if pairs[0][1] and not _is_count(values):
                self.count += sum(value is not None for value in kept)

    def compare(self, output: str) -> Difference:
        """The difference between a trial's output and the plain runs'."""
        if self.count == 0:
            return Difference(0, None, 0, "")
        got = series(output)
        worst, where, missing = 0.0, "", 0
        for key, values in self._steady.items():
            mine = got.get(key, [])
            for i, value in enumerate(values):
                if value is None:
                    continue
                if i >= len(mine):
                    missing += 1
                    continue
                far = _distance(value, mine[i][0], self._scale[key])
                if far > worst:
                    worst, where = far, key[0]
        return Difference(self.count, worst, missing, where)
