# SPDX-License-Identifier: Apache-2.0
"""Packets for assistants: at most 1,000 tokens each, with the ids of further packets.

Names come from the profiled program: they are data, shown in backticks on one line.
"""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from roofscope import _report_json
from roofscope._executable import RoofscopeError, file_argument, run_parsed
from roofscope._profile import Profile
from roofscope._records import Action, Finding, Function, Kernel, Program

#: Most tokens of a packet.
LIMIT = 1000


def estimate_tokens(text: str) -> int:
    """A cautious (high) estimate of the number of tokens.

    Code and numbers have 2.6 to 3.5 bytes per o200k token; characters beyond ASCII are about one
    token each, emoji up to three."""
    ascii_bytes = sum(c < "\x80" for c in text)
    return int(ascii_bytes / 2.6 + (len(text.encode()) - ascii_bytes) * 0.75) + 1


def printable(text: str) -> str:
    """The text with blanks in place of line ends and control or invisible characters."""
    return "".join(c if c.isprintable() else " " for c in text)


def code(text: str, most: int = 90) -> str:
    """A name between backticks, on one line, capped in length."""
    line = " ".join(printable(text.replace("`", "'")).split())
    return f"`{line if len(line) <= most else line[: most - 1] + '…'}`"


def plain(text: str, most: int = 420) -> str:
    """A sentence on one line, capped in length."""
    line = " ".join(printable(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def quoted(text: str) -> list[str]:
    """Lines of somebody else's text, each after ">". None is so long that in_parts() cuts it."""
    lines = []
    for line in text.splitlines():
        whole = printable(line.expandtabs(4)).rstrip()
        pieces = [whole[at : at + 300] for at in range(0, len(whole), 300)] or [""]
        lines += [f"> {piece}".rstrip() for piece in pieces]
    return lines


def _bytes(c: str) -> bytes:
    """The bytes of a character in a file name; also encodes surrogates that no name decodes to."""
    try:
        return os.fsencode(c)
    except UnicodeEncodeError:
        return c.encode("utf-8", "surrogatepass")


def shell_word(text: str) -> str:
    """A word of a shell command: quoted where needed, without control characters."""
    if text.isprintable():
        return shlex.quote(text)
    quoted = "".join(
        c if c.isprintable() and c not in "'\\" else "".join(f"\\x{b:02x}" for b in _bytes(c))
        for c in text
    )
    return f"$'{quoted}'"


def shell_argument(name: str) -> str:
    """A file name as a word of a shell command; never an option."""
    return shell_word(file_argument(name))


def show_command(identity: str, profile: str | os.PathLike[str]) -> str:
    """The command that shows this id. Assistants run it as it stands."""
    return f"roofscope show {shell_word(identity)} {shell_argument(os.fspath(profile))}"


def time(seconds: float | None) -> str:
    """1.23 ms, or "not measured"."""
    if seconds is None:
        return "not measured"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(value := float(f"{seconds / scale:.3g}")) >= 1:
            # Three digits, as in reports.
            digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
            return f"{value:.{digits}f} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def bound(seconds: float | None, estimate: bool) -> str:
    """ "at most 1.23 ms"; "about" for an estimate."""
    return f"{'about' if estimate else 'at most'} {time(seconds)}"


def number(value: float | None, unit: str = "") -> str:
    """A value of the report with its unit."""
    if value is None:
        return "not measured"
    if unit == "ratio":
        return f"{value * 100:.3g} %"
    if unit == "s":
        return time(value)
    name = {"bytes": "B", "count": ""}.get(unit, unit)
    if not name and 1e3 <= abs(value) < 999_999.5:
        return f"{value:,.0f}"  # counts below a million in full, as in reports
    value = float(f"{value:.4g}")  # so that the prefix fits the rounded number
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= scale:
            return f"{value / scale:.4g} {prefix}{name}"
    return f"{value:.4g} {name}".rstrip()


def in_parts(text: str, limit: int = LIMIT, first: int = 1) -> list[str]:
    """The text in parts that each fit into a packet; each but the last names the next.

    `first` is the number of the first part.
    """
    room = limit - 20  # for the note
    parts: list[str] = []
    lines: list[str] = []
    used = 0
    for line in text.splitlines():
        # The estimate counts at most three tokens per character.
        long = estimate_tokens(line) > room
        step = room // 3 if long else max(1, len(line))
        for piece in [line[at : at + step] for at in range(0, len(line), step)] or [""]:
            tokens = estimate_tokens(piece) + 1
            if lines and used + tokens > room:
                parts.append("\n".join(lines))
                lines, used = [], 0
            lines.append(piece)
            used += tokens
    parts.append("\n".join(lines))
    for i in range(len(parts) - 1):
        parts[i] += f"\n(goes on: part {first + i + 1} of {first + len(parts) - 1})"
    return parts


class Packet:
    """Lines with priorities; the least important are dropped until the rest fits."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str]] = []

    def add(self, line: str, give_up: int = 0) -> None:
        """Adds a line. Lines with the highest `give_up` are dropped first, from the end."""
        self._lines.append((give_up, printable(line)))

    def text(self, limit: int = LIMIT) -> str:
        """The packet as text, with a note about dropped lines."""
        return self._fitted(limit, f"{{lines}} left out: at most {limit} tokens")[0]

    def parts(self, limit: int = LIMIT) -> list[str]:
        """The packet as text, then the lines that it dropped, in as many parts as needed."""
        text, dropped = self._fitted(limit, "more {lines}: part 2")
        return [text, *in_parts("\n".join(dropped), limit, first=2)] if dropped else [text]

    def _fitted(self, limit: int, note: str) -> tuple[str, list[str]]:
        """The text with a note about the number of dropped lines, and these lines in order."""
        kept = list(enumerate(self._lines))
        dropped: list[int] = []

        def joined() -> str:
            lines = note.format(lines="line" if len(dropped) == 1 else "lines")
            said = f"\n({len(dropped)} {lines})" if dropped else ""
            return "\n".join(line for _, (_, line) in kept) + said + "\n"

        while estimate_tokens(joined()) > limit and len(kept) > 1:
            worst = max(range(len(kept)), key=lambda i: (kept[i][1][0], i))
            dropped.append(kept.pop(worst)[0])
        return joined(), [self._lines[i][1] for i in sorted(dropped)]


def _title(profile: Profile) -> str:
    capture, devices = profile.data["profile"], profile.data["devices"]
    gpus = ", ".join(dict.fromkeys(code(d["name"], 40) for d in devices)) or "GPU not recorded"
    return f"{code(profile.path.name)}: {gpus}, recorded {capture['created_utc'][:10]}"


def lacking(profile: Profile) -> str | None:
    """What must still be measured to know that no edit is worth making; None if nothing."""
    return profile.program.lacking if profile.program else None


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.3g} %, "


def _kernel_line(kernel: Kernel, share: float | None) -> str:
    where = f" in {code(kernel.range, 50)}" if kernel.range else ""
    return (
        f"- {kernel.id} {code(kernel.name, 60)}{where}: {_percent(share)}{kernel.launches} × "
        f"{time(kernel.duration.median)}; {plain(kernel.verdict.text)}"
    )


def _program_finding(action: Action) -> Finding:
    """An action about the program itself (copies, waits, ranks) as a finding."""
    return Finding(
        id=action.id,
        rule=action.rule,
        title=action.title,
        sentence=action.sentence,
        edit=action.edit,
        kernel=None,
        gain=action.bound,
        gain_text=action.gain_text,
        gain_share=action.bound_share,
        gain_total=None,
        minor=False,
        blocked=False,
        blocked_text=None,
        estimate=action.estimate,
        worthwhile=action.worthwhile,
        gain_window=action.bound,
        saving_text=action.bound_text,
        can_be_tried=action.can_be_tried,
        tried_text=action.gain_text if action.gain_measured else None,
        cause=None,
        evidence=(),
        expected=(),
        places=(),
        subject=action.subject,
    )


def in_order(profile: Profile) -> list[Finding]:
    """What the report proposes, in its order: findings, and actions as findings."""
    if profile.program is None:
        return []
    found = {a.id: _program_finding(a) for a in reversed(profile.program.actions)}
    found |= {f.id: f for f in profile.findings if f.kernel}
    return [found[one] for one in profile.program.proposals if one in found]


def saving(found: Finding) -> str:
    """What the edit saves: measured by a trial, else the bound; per window if one was timed."""
    return plain(found.tried_text or found.saving_text or found.gain_text)


def _in_kernels(action: Action) -> str:
    """ " in `gemm`, `relu` and 3 more"; empty for an action that is not about kernels."""
    names = list(dict.fromkeys(action.kernels))
    first = ", ".join(code(name, 50) for name in names[:2])
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f" in {first}{more}" if names else ""


def _with_trials(action: Action) -> str:
    """The edit, and further trials that made the program faster."""
    return plain(action.edit) + (f" {plain(action.tried_text)}" if action.tried_text else "")


def _function_line(profile: Profile, function: Function) -> str:
    """One line for all launch shapes of a function, named by the kernel that stands for it."""
    kernel = profile.kernels[function.rank - 1]
    per = " per window" if profile.program and profile.program.window else ""
    where = f" in {code(kernel.range, 50)}" if kernel.range and function.shapes == 1 else ""
    shapes = f", {function.shapes} shapes" if function.shapes > 1 else ""
    return (
        f"- {kernel.id} {code(function.name, 60)}{where}{shapes}: {_percent(function.share)}"
        f"{time(function.seconds)}{per}; {plain(kernel.verdict.text)}"
    )


def _add_actions(packet: Packet, program: Program) -> None:
    """The program's actions, and what was tried in vain."""
    if program.actions:
        packet.add("## Actions (most time first; bounds do not add up)")
    for i, action in enumerate(program.actions[:5]):
        sites = f" at {', '.join(code(s, 60) for s in action.sites[:2])}" if action.sites else ""
        packet.add(
            f"{i + 1}. {action.id}: {plain(action.gain_text)}{_in_kernels(action)}{sites}. "
            f"{_with_trials(action)}",
            give_up=0 if i == 0 else 3,
        )
    if program.trials_text:
        packet.add(plain(program.trials_text, 600), 1)


def _gpu_time(profile: Profile) -> str:
    """The total time of all kernels. A missing time is not 0."""
    times = [k.duration.total for k in profile.kernels if k.duration.total is not None]
    untimed = len(profile.kernels) - len(times)
    if untimed and not times:
        return "GPU time not measured"
    return f"{time(sum(times))} of GPU time" + (f" ({untimed} not timed)" if untimed else "")


def _add_next(packet: Packet, profile: Profile) -> None:
    """What to ask for next. Names no edit if `loop` proposes none."""
    order = in_order(profile)
    if order:
        packet.add(f"Next: {show_command(order[0].id, profile.path)}")
        packet.add("After one edit: record again, then `roofscope loop NEW_PROFILE`.", give_up=1)
    elif profile.kernels:
        packet.add(f"A kernel: {show_command(profile.kernels[0].id, profile.path)}")
    else:
        packet.add("Next: roofscope doctor says what can be recorded here.")


def _program(profile: Profile) -> Packet:
    packet = Packet()
    packet.add(f"# Program {_title(profile)}")
    capture = profile.data["profile"]
    kernels = f"{len(profile.kernels)}, {_gpu_time(profile)}" if profile.kernels else "none"
    packet.add(f"Kernels: {kernels} in {capture['launches_seen']} launches")
    if profile.program:
        for sentence in profile.program.sentences:
            packet.add(plain(sentence))
    found_by_rules = [found for found in in_order(profile) if found.kernel]
    lacks = lacking(profile)
    names = {kernel.id: kernel for kernel in profile.kernels}
    if profile.program:
        _add_actions(packet, profile.program)
    if found_by_rules:
        packet.add("## Findings (time that each can save; they do not add up)")
        for i, found in enumerate(found_by_rules[:5]):
            of = f" of {code(names[found.kernel].name, 50)}" if found.kernel in names else ""
            packet.add(
                f"{i + 1}. {found.id}: {saving(found)}{of}. {plain(found.edit)}",
                give_up=0 if i == 0 else 3,
            )
    elif not profile.kernels:
        packet.add("Nothing was measured, so nothing can be said.")
    elif profile.program and profile.program.stop_text and not lacks:
        packet.add(plain(profile.program.stop_text))
    if lacks and profile.kernels:
        packet.add(plain(lacks))
    if profile.kernels:
        packet.add("## Kernels", give_up=4)
    known = range(1, len(profile.kernels) + 1)
    functions = [
        f for f in (profile.program.functions if profile.program else ()) if f.rank in known
    ]
    lines = [_function_line(profile, function) for function in functions[:8]]
    for line in lines or [_kernel_line(k, k.time_share) for k in profile.kernels[:8]]:
        packet.add(line, give_up=4)
    for issue in profile.data["issues"][:3]:
        packet.add(f"Note: {code(issue['message'], 200)}", give_up=2)
    _add_next(packet, profile)
    return packet


def _kernel(profile: Profile, kernel: Kernel) -> Packet:
    packet = Packet()
    packet.add(f"# Kernel {kernel.id} of {_title(profile)}")
    packet.add(code(kernel.full_name, 300))
    if kernel.range:
        packet.add(f"NVTX range: {code(kernel.range)}")
    verdict = kernel.verdict
    said = [f"{plain(verdict.text)} (confidence {verdict.confidence})."]
    said += [f"{plain(verdict.reason)}."] if verdict.reason else []
    said += [plain(t) for t in (verdict.headroom_text, verdict.joint_gain_text) if t]
    packet.add(f"Verdict: {' '.join(said)}")
    noise = f" ({time(kernel.duration.low)} to {time(kernel.duration.high)})"
    packet.add(f"Time: {kernel.launches} × {time(kernel.duration.median)}{noise}")
    grid, block = ("×".join(map(str, dim)) for dim in (kernel.grid, kernel.block))
    registers = "not measured" if kernel.registers is None else kernel.registers
    static, dynamic = kernel.static_shared_bytes, kernel.dynamic_shared_bytes
    shared = "not measured" if static is None or dynamic is None else f"{static + dynamic} B"
    packet.add(f"Launch: grid {grid}, block {block}, {registers} registers, {shared} shared", 2)
    for found in [f for f in kernel.findings if not f.minor][:3]:
        packet.add(f"- {found.id}: {plain(found.gain_text)}. {plain(found.sentence)}")
        packet.add(f"  Edit: {plain(found.edit)}", 1)
    if verdict.nothing_text:
        packet.add(plain(verdict.nothing_text))
    if minor := [f for f in kernel.findings if f.minor]:
        packet.add("Minor: " + ", ".join(f.id for f in minor), 2)
    raw = profile.data["kernels"][kernel.rank - 1]
    if raw["ruled_out"]:
        packet.add("Ruled out: " + ", ".join(out["rule"] for out in raw["ruled_out"]), 4)
    for unknown in raw["cannot_tell"][:4]:
        packet.add(f"Cannot tell {unknown['rule']}: {plain(unknown['advice'], 120)}", 3)
    for part in ("counters", "source"):
        if part == "counters" or raw.get("source"):
            packet.add(f"More: {show_command(f'{kernel.id}/{part}', profile.path)}", 1)
    return packet


def _finding(profile: Profile, found: Finding) -> Packet:
    packet = Packet()
    packet.add(f"# Finding {found.id} of {_title(profile)}")
    packet.add(f"{plain(found.title)}: {plain(found.sentence)}")
    packet.add(f"Edit: {plain(found.edit, 600)}")
    total = f"; {plain(found.saving_text)}" if found.saving_text else ""
    packet.add(f"Gain: {plain(found.gain_text)}{total}")
    if found.tried_text:
        packet.add(f"The program with this edit: {plain(found.tried_text)}")
    if found.blocked_text:
        packet.add(plain(found.blocked_text))
    for place in found.places[:4]:
        file = f"; file {code(place.file, 160)}" if place.file else ""
        packet.add(f"Where: {plain(place.text)}{file}", 1)
    for move in found.expected[:4]:
        packet.add(f"The edit worked if this moves: {plain(move.text)}", 1)
    for piece in found.evidence[:6]:
        packet.add(f"Proof: {plain(piece.text)}; {code(piece.formula, 160)}", 3)
    packet.add(f"Rule: roofscope rules show {shell_word(found.rule)}", 2)
    if found.kernel:
        packet.add(f"Kernel: {show_command(found.kernel, profile.path)}", 2)
    return packet


def _action(profile: Profile, action: Action) -> Packet:
    packet = Packet()
    packet.add(f"# Action {action.id} of {_title(profile)}")
    packet.add(f"{plain(action.title)}: {plain(action.sentence)}")
    if action.host_text:
        packet.add(plain(action.host_text, 600))
    packet.add(f"Edit: {plain(action.edit, 600)}")
    packet.add(f"Gain: {plain(action.gain_text)}")
    if action.tried_text:
        packet.add(plain(action.tried_text, 600))
    for site in action.sites[:8]:
        packet.add(f"At {code(site, 160)}", 1)
    found = {one.id: one for one in profile.findings}
    names = {kernel.id: kernel.name for kernel in profile.kernels}
    for i, identity in enumerate(action.findings):
        one = found.get(identity)
        of = f": {saving(one)} of {code(names[one.kernel or ''], 50)}" if one else ""
        packet.add(f"- {identity}{of}", 2 if i < 4 else 3)
    for identity in action.findings[:1]:
        packet.add(f"Finding: {show_command(identity, profile.path)}", 2)
    return packet


def _source(profile: Profile, kernel: Kernel) -> Packet:
    raw = profile.data["kernels"][kernel.rank - 1].get("source")
    if not raw:
        raise RoofscopeError(
            "no counters per source line in this profile: record with --source top:3", 69
        )
    packet = Packet()
    packet.add(f"# Source of {kernel.id} {code(kernel.name)}")
    packet.add("> marks the costliest lines; s: share of warp samples", 1)
    last = None
    for line in raw["lines"]:
        if line["file"] != last:
            last = line["file"]
            packet.add(f"File {code(last, 120)}")
        cost = ""
        if line["samples_ratio"] is not None:
            cost = f" s {line['samples_ratio'] * 100:.2g} %"
        for key, word in (("excess_sectors", "excess sectors"), ("local_sectors", "local sectors")):
            if line[key]:
                cost += f" {number(line[key])} {word}"
        if line["excess_wavefronts"]:
            cost += f" {number(line['excess_wavefronts'])} conflict replays"
        hot = ">" if line["hot"] else " "
        text = line["text"].replace("`", "'").expandtabs(4).rstrip()[:120]
        comment = f"  //{cost}" if cost else ""
        packet.add(f"{hot}{line['line']:>4} {text}{comment}", 1 if line["hot"] else 4)
    for one in raw["instructions"][:8]:
        stall = f" waits: {one['stall']}" if one["stall"] else ""
        packet.add(f"SASS {one['offset']:#06x} {code(one['sass'], 80)}{stall}", 3)
    return packet


def _counters(profile: Profile, kernel: Kernel) -> Packet:
    packet = Packet()
    packet.add(f"# Counters of {kernel.id} {code(kernel.name)}, per launch")
    absent = []
    for name, value in kernel.quantities.items():
        if value is None:
            absent.append(name)
            continue
        unit = next(
            (u for end, u in (("_ratio", "ratio"), ("_bytes", "bytes")) if name.endswith(end)), ""
        )
        zero = value == 0
        packet.add(f"{name} {number(value, unit)}", give_up=3 if zero else 2)
    if absent:
        packet.add("Not measured: " + ", ".join(absent), 4)
    return packet


def known_ids(profile: Profile) -> list[str]:
    """All ids that `show` accepts for this profile."""
    ids = ["program"]
    for kernel in profile.kernels:
        ids += [kernel.id, f"{kernel.id}/counters"]
        if profile.data["kernels"][kernel.rank - 1].get("source"):
            ids.append(f"{kernel.id}/source")
    ids += [a.id for a in profile.program.actions] if profile.program else []
    return list(dict.fromkeys(ids + [found.id for found in profile.findings]))


def wants(identity: str) -> Callable[[dict[str, Any]], bool]:
    """Returns a function: whether the packet of this id needs a kernel's numbers."""
    name = identity.partition("/")[0]

    def whole(raw: dict[str, Any]) -> bool:
        names = (raw["id"], raw["id"].split("-")[0], raw["name"], raw["full_name"], raw["range"])
        return name in names

    return whole


def read(profile: Profile, identity: str) -> Profile:
    """Reads only what the packet of this id needs, which matters for large profiles."""

    def parse(text: BinaryIO) -> dict[str, Any]:
        return _report_json.read(text, wants(identity))

    profile.data = run_parsed(parse, "report", f"--window={profile.window}", profile.path)
    return profile


def show(profile: Profile, identity: str, limit: int = LIMIT) -> str:
    """The packet of this id; RoofscopeError with similar ids if there is none."""
    return _packet(profile, identity).text(limit)


def show_parts(profile: Profile, identity: str) -> list[str]:
    """The packet of this id, then further parts with what it left out."""
    return _packet(profile, identity).parts()


def _packet(profile: Profile, identity: str) -> Packet:
    if identity == "program":
        return _program(profile)
    for found in profile.findings:
        if found.id == identity:
            return _finding(profile, found)
    name, _, part = identity.partition("/")
    if name == "program" and profile.program:
        for action in profile.program.actions:
            if action.id == identity or action.rule == part:
                return _action(profile, action)
    makers = {"": _kernel, "source": _source, "counters": _counters}
    if part in makers:
        try:
            return makers[part](profile, profile.kernel(name))
        except KeyError:
            pass
    near = difflib.get_close_matches(identity, known_ids(profile), 3, 0.3)
    hint = f" (near: {', '.join(plain(one, 80) for one in near)})" if near else ""
    file = plain(profile.path.name, 120)
    raise RoofscopeError(f"{plain(identity, 80)}: no such id in {file}{hint}", 64)


def newest_profile(folder: Path) -> Path:
    """The newest profile in this folder."""
    found = [*folder.glob("*.roofscope.json"), *folder.glob("*.roofscope.json.gz")]
    if not found:
        raise RoofscopeError("no profile in this folder: name one", 66)
    return max(found, key=lambda path: path.stat().st_mtime)
