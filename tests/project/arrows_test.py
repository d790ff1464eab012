# SPDX-License-Identifier: Apache-2.0
"""Checks that includes follow the arrows of CONTRIBUTING.md, and that no rooms form a circle."""

import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
MAY_INCLUDE = {
    "profile": [],
    "nvml": ["profile"],
    "importer": ["profile"],
    "analyzer": ["profile"],
    "gate": ["profile", "analyzer"],
    "reports": ["profile", "analyzer", "gate"],
    "gui": ["profile", "analyzer", "gate", "reports", "importer"],
    "collector": ["profile", "nvml"],
    "extract": ["profile", "collector"],
    "kernels": ["profile", "nvml"],
}
# Code in the profiled program and code in roofscope share only records and a configuration.
NEVER_INCLUDES = {
    "extract": ["collector/inject", "collector/spool"],
    # It is compiled on machines that have nothing but a C++ compiler.
    "extract/driver": ["collector/run", "collector/inject", "profile"],
    "collector/capture": ["collector/run", "collector/inject", "collector/spool"],
    "collector/inject": ["collector/run", "collector/spool/reader"],
    "collector/run": ["collector/inject", "collector/spool/writer"],
    "collector/spool/reader": ["collector/run", "collector/inject", "collector/spool/writer"],
    "collector/spool/writer": ["collector/run", "collector/inject", "collector/spool/reader"],
}
INCLUDE = re.compile(r'^\s*#\s*include "([a-z_]+(?:/[a-z_]+)*)/[^/"]+"', re.MULTILINE)


def sources(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.suffix in (".cpp", ".h", ".cu", ".cuh")]


def wrong_arrows() -> list[str]:
    known = {*MAY_INCLUDE, "cli"}
    return [
        f"{path.relative_to(ROOT)} includes {included}/"
        for module, allowed in MAY_INCLUDE.items()
        for path in sources(ROOT / module)
        for included in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if included.split("/")[0] in known - {module, *allowed}
    ]


def rooms_not_apart() -> list[str]:
    return [
        f"{path.relative_to(ROOT)} includes {included}/"
        for room, apart in NEVER_INCLUDES.items()
        for path in sources(ROOT / room)
        for included in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if any(f"{included}/".startswith(f"{other}/") for other in apart)
    ]


def rooms_in_a_circle(module: str) -> list[str]:
    """Rooms that include themselves via others. A room is a folder at any depth, without the
    folders inside it: those are rooms of their own, and a folder and its child form a circle, too.
    """
    arrows: dict[str, set[str]] = {}
    for path in sources(ROOT / module):
        room = path.parent.relative_to(ROOT).as_posix()
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if included != room and included.split("/")[0] == module:
                arrows.setdefault(room, set()).add(included)
    found = []
    for room in sorted(arrows):
        reached, ahead = set(), [room]
        while ahead:
            for following in arrows.get(ahead.pop(), set()) - reached:
                reached.add(following)
                ahead.append(following)
        if room in reached:
            found.append(f"{room} is included by what it includes ({sorted(reached)})")
    return found


faults = wrong_arrows() + rooms_not_apart()
faults += [f for module in MAY_INCLUDE for f in rooms_in_a_circle(module)]
seen = {module: len(sources(ROOT / module)) for module in MAY_INCLUDE}
seen |= {room: len(sources(ROOT / room)) for room in NEVER_INCLUDES}
faults += [f"no sources in {folder}/" for folder, count in seen.items() if not count]
files = sum(seen[module] for module in MAY_INCLUDE)
print("\n".join(faults) or f"{files} files follow the arrows")
sys.exit(1 if faults else 0)
