# SPDX-License-Identifier: Apache-2.0
"""`roofscope loop FOLDER`: what was tried in a folder of `roofscope extract`, and what is next.

`check` writes each verdict into the folder's `verdicts.jsonl`; the recording beside it has the
findings of the kernel.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from roofscope import _packets
from roofscope._executable import RoofscopeError
from roofscope._profile import Profile
from roofscope._records import Finding, Kernel

PROFILE, _LAUNCH, _VERDICTS = "profile.roofscope.json.gz", "launch.json", "verdicts.jsonl"
#: How many of the last verdicts are shown.
_MOST = 20
#: Durations have noise, so a time within this share of the bound counts as having reached it.
_NEAR = 0.05


def is_folder(path: Path) -> bool:
    """Whether it is a folder of `roofscope extract`."""
    return (path / _LAUNCH).is_file()


def _verdicts(folder: Path) -> list[dict[str, Any]]:
    """The verdicts, oldest first; damaged lines are left out."""
    found = []
    try:
        lines = (folder / _VERDICTS).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict) and isinstance(one.get("verdict"), str):
            found.append(one)
    return found


def _speedup(verdict: dict[str, Any]) -> float | None:
    ratio = verdict.get("ratio")
    if verdict["verdict"] not in ("better", "not better") or not isinstance(ratio, int | float):
        return None
    return 1 / ratio if ratio > 0 else None


def _line(number: int, verdict: dict[str, Any]) -> str:
    name = _packets.plain(str(verdict.get("candidate")), 60)
    digest = _packets.plain(str(verdict.get("digest"))[:6])
    line = f"{number}. {name} ({digest}): {_packets.plain(verdict['verdict'], 20)}"
    if (speedup := _speedup(verdict)) is not None:
        cache = ", cold L2" if verdict.get("cache") == "cold" else ""
        return f"{line}, {speedup:.2f}× as fast{cache}"
    return f"{line}: {_packets.plain(str(verdict.get('reason')), 160)}"


def _kernel(folder: Path, profile: Profile) -> Kernel:
    try:
        launch = json.loads((folder / _LAUNCH).read_text(encoding="utf-8"))
        name = launch["name"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RoofscopeError(f"{folder / _LAUNCH}: cannot be read: {error}", 65) from error
    for kernel in profile.kernels:
        if kernel.full_name == name:
            return kernel
    raise RoofscopeError(f"{folder}: its recording does not have the kernel", 65)


def _next(kernel: Kernel) -> Finding | None:
    worth = [f for f in kernel.findings if f.gain is not None and not f.minor]
    return max(worth, key=lambda f: f.gain or 0, default=None)


def said_of(folder: Path, root: Path | None = None) -> str:
    """What to print: the verdicts, the best one, and what the report says to do.

    With `root` it reads no file outside of it.
    """
    for name in (_LAUNCH, _VERDICTS, PROFILE):
        if root is not None and not (folder / name).resolve().is_relative_to(root):
            raise RoofscopeError(f"refused: {folder / name} is outside of {root}", 77)
    if not (folder / PROFILE).is_file():
        raise RoofscopeError(f"{folder}: made by an older roofscope: extract it again", 65)
    profile = Profile(folder / PROFILE)
    kernel = _kernel(folder, profile)
    verdicts = _verdicts(folder)
    lines = [f"{_packets.code(kernel.name, 80)}: {len(verdicts)} candidates judged"]
    first = max(len(verdicts) - _MOST, 0)
    lines += [_line(i + 1, verdicts[i]) for i in range(first, len(verdicts))]
    better = [v for v in verdicts if v["verdict"] == "better"]
    right = [(s, v) for v in better if (s := _speedup(v)) is not None]
    best = max(right, key=lambda one: one[0], default=None)
    if best:
        lines.append(f"best: {_packets.plain(str(best[1].get('candidate')), 60)}, {best[0]:.2f}×")
    found, time = _next(kernel), kernel.duration.median
    if found is None or time is None:
        lines.append("stop: the report has no edit whose gain is known")
        return "\n".join(lines) + "\n"
    bound = time / (time - found.gain) if found.gain and found.gain < time else None
    promised = _packets.bound(found.gain, found.estimate)
    promised += f" of {_packets.time(time)}" + (f", {bound:.2f}×" if bound else "")
    if best and bound and best[0] >= bound * (1 - _NEAR):
        lines.append(
            f"reached: {found.rule} promised {promised}. Take the candidate over into the program, "
            "record it, and see what is next there"
        )
    else:
        lines.append(f"next: {found.rule}, {promised} per launch")
        lines.append(f"   {_packets.plain(found.edit)}")
        lines.append(f"   details: {_packets.show_command(found.id, profile.path)}")
        lines.append("   then: ./check COPY.cu (TASK.md)")
    return "\n".join(lines) + "\n"
