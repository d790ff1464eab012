# SPDX-License-Identifier: Apache-2.0
"""Reports with hostile names and absurd numbers still give valid packets.

ROOFSCOPE_FUZZ_RUNS=1000000 sets the number of packets, instead of a few thousand."""

import json
import os
import random
from pathlib import Path
from typing import Any

import roofscope
from roofscope import _packets
from roofscope._executable import RoofscopeError

PIECES = [
    "`", "```", "\n", "\r\n", "\0", "\x1b[2J", "\u2028", "\u2029", "\u202e", "\u200b", "\U000e0041",
    "\ud800", "é", "漢", "🚀", "# Kernel k000000", "Stop:", "Next: roofscope show", "- ", "  ",
    "<script>", "%s%n", "{}", "$(id)", "/", "program", "k1/counters", "a" * 300, "漢" * 700,
    "x/" * 400, "'", '"', "\\", "\t",
]  # fmt: skip
#: Keys whose values come from the profiled program, its tools or its machine.
NAMES = {"name", "full_name", "range", "file", "function", "op", "module", "text", "sass", "opcode",
         "stall", "what", "path", "host", "tool_version", "origin", "strategy"}  # fmt: skip
#: Keys whose values we assign.
OURS = {"rank", "id", "rule"}
NUMBERS = [0, 1, -1, 5e-324, 1e-12, 0.5, 1e15, 1e300, 1.7e308, 2**31, 2**53, 2**63]


def leaves(node: Any, where: tuple[Any, ...] = ()) -> Any:
    """Yields each value of a report with its path."""
    if isinstance(node, (dict, list)):
        pairs = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in pairs:
            yield from leaves(value, (*where, key))
    else:
        yield where, node


def kind(where: tuple[Any, ...]) -> tuple[Any, ...]:
    """The path with list indices replaced by "*"."""
    return tuple("*" if isinstance(part, int) else part for part in where)


def other(dice: random.Random, key: Any, value: Any) -> Any:
    """Another value for this key of a report."""
    if isinstance(value, bool):
        return dice.random() < 0.5
    if isinstance(value, str):
        # Other texts are our sentences, with the program's names in them.
        before = "" if key in NAMES else value
        return before + "".join(dice.choices([*PIECES, value], k=dice.randint(0, 4)))
    number = dice.choice(NUMBERS)
    return int(number) if isinstance(value, int) else number


def put(root: Any, where: tuple[Any, ...], value: Any) -> None:
    for part in where[:-1]:
        root = root[part]
    root[where[-1]] = value


def check(text: str) -> None:
    assert _packets.estimate_tokens(text) <= _packets.LIMIT
    for line in text.splitlines():
        assert line.isprintable()
    # A packet has one title: no name may start a new line.
    assert text.startswith("# ")
    assert text.count("\n# ") == 0


def test_packets_of_hostile_reports(samples: Path) -> None:
    originals = []
    absent: set[tuple[Any, ...]] = set()
    for name in ("h200_source", "h200_torch_chain", "h200_atomics"):
        data = roofscope.open(samples / f"{name}.roofscope.json.gz").data
        data["kernels"] = data["kernels"][:4]
        found = list(leaves(data))
        absent |= {kind(where) for where, value in found if value is None}
        originals.append((json.dumps(data), found))
    dice = random.Random(7)
    runs = int(os.environ.get("ROOFSCOPE_FUZZ_RUNS", "3000"))
    made = 0
    while made < runs:
        text, found = dice.choice(originals)
        profile = roofscope.Profile("".join(dice.choices(PIECES, k=2)).replace("\0", ""))
        data = json.loads(text)
        for where, value in dice.choices(found, k=dice.choice((1, 5, 60))):
            if where[0] in ("format", "schema") or where[-1] in OURS:
                continue
            if kind(where) in absent and dice.random() < 0.3:
                put(data, where, None)
            elif value is not None:
                put(data, where, other(dice, where[-1], value))
        profile.__dict__["data"] = data
        for identity in [*_packets.known_ids(profile), "", "/", "k", *PIECES]:
            made += 1
            try:
                check(_packets.show(profile, identity))
            except RoofscopeError as refused:
                assert str(refused).isprintable()
                assert _packets.estimate_tokens(str(refused)) < _packets.LIMIT
