#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time of every command as a function of its input size.

    growth.py [--roofscope PATH] [--only TEXT] [--scale N] [--growth-only] [--table]

Each shape of profile is made with n and with 4n of its many items, and every command reads both; so
are the files of other tools, spools, rules and ledgers, which only some commands read. Commands that
read nothing, or need a GPU, are named in NO_INPUT; any other that `roofscope --help` lists and no
case has is an error. A command fails if its time grows more than eightfold (fourfold is linear,
sixteenfold quadratic) or is above ten seconds. --growth-only is for tests on busy machines: only more
than tenfold fails. Times below 60 ms are too short to judge and pass. Exits with 1 if a command fails,
and names it."""
import argparse
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_GROWTH, LEAST_SECONDS, MOST_SECONDS = 8, 0.06, 10
# How often a command that seems slow is measured again: the machine may be busy.
TRIES = 3
PARTS = ["copies", "waits", "launches", "allocations", "loads", "graphs", "ranges"]
DEVICE = {
    "name": "NVIDIA H200", "chip": "GH100", "compute_capability": [9, 0], "sm_count": 132,
    "max_threads_per_sm": 2048, "registers_per_sm": 65536, "shared_per_sm_bytes": 233472,
    "max_blocks_per_sm": 32, "sm_clock_max_hz": 1980000000, "memory_clock_max_hz": 3201000000,
    "peaks": {"dram__bytes.sum.peak_sustained": 1504},
}  # fmt: skip


def kernel(name, **more):
    return {"name": name, "symbol": more.pop("symbol", name), "registers_per_thread": 32, **more}


def profile(kernels, of, *, pause=2000, **more):
    """`of`: the kernel of each launch. The GPU is idle between launches."""
    rows = len(of)
    return {
        "format": "roofscope-profile", "schema": [1, 7],
        "capture": {"tool": "roofscope", "origin": "recorded", "strategy": "kernel",
                    "groups": ["default"], "timing_runs": 1, "command": ["a"]},
        "processes": [{"pid": 1, "launches_seen": rows, "ended_cleanly": True}],
        "devices": [DEVICE], "kernels": kernels, "ranges": [],
        "launches": {
            "count": rows, "kernel": of, "device": {"all": 0}, "process": {"all": 0},
            "stream": {"all": 0}, "grid_x": [64 + i % 3 for i in range(rows)],
            "grid_y": {"all": 1}, "grid_z": {"all": 1}, "block_x": {"all": 256},
            "block_y": {"all": 1}, "block_z": {"all": 1},
            "duration_ns": [5000 + i % 97 for i in range(rows)],
            "start_ns": [i * (5000 + pause) for i in range(rows)]},
        "counters": {}, "issues": [], **more}  # fmt: skip


def timeline(rows, gap, threads=2, **more):
    """One launch call per launch, `gap` ns apart."""
    return {
        "threads": [{"process": 0, "id": i} for i in range(threads)],
        "call_names": [{"name": "cuLaunchKernel", "kind": "launch"},
                       {"name": "cuStreamSynchronize", "kind": "wait"}],
        "calls": {"name": [0] * rows, "thread": {"all": 0},
                  "start_delta_ns": [-3000] + [gap] * (rows - 1), "duration_ns": {"all": 2000},
                  "work_delta": [0] + [1] * (rows - 1)},
        **more}  # fmt: skip


def with_timeline(made, more):
    made["processes"][0]["timeline"] = PARTS
    made["timeline"] = more
    return made


TWO = [kernel("void a(int)"), kernel("void b(float*)")]


def launches(n):
    return with_timeline(profile(TWO, [i % 2 for i in range(n)]), timeline(n, 7000))


def same_names(n):
    return profile([kernel("same(int)", symbol=f"s{i}") for i in range(n)], list(range(n)))


def same_symbols(n):
    """Like modules that a program loads again and again."""
    return profile([kernel("same(int)", symbol="s", local_bytes_per_thread=i) for i in range(n)],
                   list(range(n)))


def other_names(n):
    return profile([kernel(f"void ns::k{i}<float, {i}>(int)") for i in range(n)], list(range(n)))


def host_gaps(n, nested=False):
    """Host work before each launch, and ranges: in another thread one by one, or all nested."""
    pause = 300_000
    made = profile(TWO, [i % 2 for i in range(n)], pause=pause)
    # Nested: pushed from 0 on and popped in reverse. Else one after the other.
    step = 10 if nested else pause + 5000
    lasts = [(n - i) * 600_000 for i in range(n)] if nested else {"all": 4000}
    made["ranges"] = ["r"]
    ranges = {"range": [0] * n, "thread": {"all": 0 if nested else 1},
              "start_delta_ns": [0] + [step] * (n - 1), "duration_ns": lasts}  # fmt: skip
    return with_timeline(made, timeline(n, pause + 5000, ranges=ranges))


def nested_ranges(n):
    return host_gaps(n, nested=True)


def transfers(n):
    moved = {"kind": [0] * n, "process": {"all": 0}, "device": {"all": 0}, "stream": {"all": 0},
             "bytes": [65536 + i for i in range(n)], "start_delta_ns": {"all": 9000},
             "duration_ns": {"all": 700}}  # fmt: skip
    kinds = [{"kind": "host-to-device", "source": "pageable", "target": "device"}]
    return with_timeline(profile(TWO, [i % 2 for i in range(1000)]),
                         timeline(1000, 7000, transfer_kinds=kinds, transfers=moved))


def processes(n):
    made = profile(TWO, [i % 2 for i in range(n)])
    made["processes"] = [{"pid": i + 1, "launches_seen": 1, "rank": i, "world_size": n,
                          "host": f"h{i % 9}", "timeline": PARTS} for i in range(n)]
    made["launches"]["process"] = list(range(n))
    return made


def devices(n):
    made = profile(TWO, [i % 2 for i in range(n)])
    made["devices"] = [{**DEVICE, "uuid": f"GPU-{i}"} for i in range(n)]
    made["launches"]["device"] = list(range(n))
    return made


def issues(n):
    made = profile(TWO, [0, 1])
    made["issues"] = [{"severity": "warning", "source": "inject", "code": f"c{i}",
                       "message": f"number {i}", "advice": "none"} for i in range(n)]
    return made


def call_sites(n):
    made = profile(TWO, [0, 1])
    made["call_sites"] = [{**({"kernel": i % 4} if i % 4 < 2 else {"call": "cuMemcpyAsync"}),
                           "file": f"f{i % 9}.py", "line": i, "function": f"g{i}", "count": 1}
                          for i in range(n)]  # fmt: skip
    return made


def counters(n):
    made = profile(TWO, [0, 1] * 3)
    made["counters"] = {f"c{i}__x.sum": [1, 2, 3, 4, 5, i] for i in range(n)}
    return made


def own_ranges(n):
    made = profile(TWO, [i % 2 for i in range(n)])
    made["ranges"] = [f"step {i}" for i in range(n)]
    made["launches"]["range"] = list(range(n))
    return made


def long_name(n):
    deep = "std::tuple<" * n + "int" + ">" * n
    return profile([kernel(f"void a<{deep}>(int)"), *TWO], [0, 1, 2])


def groups(n):
    """Each launch has a shape of its own."""
    made = profile(TWO, [i % 2 for i in range(n)])
    made["launches"]["grid_x"] = list(range(1, n + 1))
    return made


# Each of these writes a file with n items.
def ncu_csv(path, n):
    head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
            "Block Size", "Grid Size", "Device", "CC", "gpu__time_duration.sum",
            "dram__bytes_read.sum"]  # fmt: skip
    with path.open("w") as file:
        file.write(",".join(f'"{h}"' for h in head) + "\n")
        file.write(",".join(['""'] * 11 + ['"ns"', '"byte"']) + "\n")
        for i in range(n):
            row = [i, 7, "a", "h", f"k{i % 99}(int)", 1, 7, "(256, 1, 1)", f"({i % 9 + 1}, 1, 1)",
                   0, "9.0", 5000 + i, i]  # fmt: skip
            file.write(",".join(f'"{v}"' for v in row) + "\n")


def trace(path, n):
    events = []
    for i in range(n):
        ids = {"pid": 9, "tid": 9, "ts": 10 * i}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": f"aten::op{i % 99}", "dur": 8, "args": {}, **ids},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "dur": 5,
             "args": {"correlation": i + 1}, **ids},
            {"ph": "X", "cat": "kernel", "name": f"k{i % 99}", "pid": 0, "tid": 7,
             "ts": 10 * i + 6, "dur": 3,
             "args": {"device": 0, "stream": 7, "correlation": i + 1, "grid": [1, 1, 1],
                      "block": [32, 1, 1]}}]  # fmt: skip
    gpus = [{"id": 0, "name": "G", "computeMajor": 8, "computeMinor": 0, "numSms": 108}]
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": gpus,
                                "traceEvents": events}))


def nsys(path, n):
    shutil.copy(ROOT / "tests/fuzz/corpus/nsys/step.sqlite", path)
    tables = sqlite3.connect(path)
    for name in ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL"):
        row = list(tables.execute(f"SELECT * FROM {name}").fetchone())
        correlation = 3 if name.endswith("RUNTIME") else 5
        rows = [[10**6 + 9000 * i, 10**6 + 9000 * i + 5000, *row[2:correlation], 1000 + i,
                 *row[correlation + 1:]] for i in range(n)]  # fmt: skip
        tables.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", rows)
    tables.commit()
    tables.close()


def spool(path, n):
    """A program that leaves what the injected library would after n launches."""
    lines = [
        {"t": "process", "pid": 7},
        {"t": "device", "id": 0, "name": "GPU", "chip": "GH100", "major": 9, "minor": 0, "sms": 132},
    ]
    lines += [{"t": "kernel", "id": i, "name": f"k{i}", "symbol": f"k{i}"} for i in range(99)]
    for i in range(n):
        lines.append({"t": "launch", "n": i, "k": i % 99, "d": 0, "s": 0, "g": [i % 9 + 1, 1, 1],
                      "b": [256, 1, 1], "corr": i + 1})  # fmt: skip
        lines.append({"t": "time", "c": i + 1, "b": 9000 * i, "e": 9000 * i + 5000})
    lines.append({"t": "end"})
    data = path.with_suffix(".lines")
    data.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    path.write_text(f'cp "{data}" "$ROOFSCOPE_SPOOL_DIR/7-1.spool"\n')


def rules(path, n):
    of = [{"match": f"k{i}*", "required": False, "limits": {"duration_ns": 10**9}}
          for i in range(n)]  # fmt: skip
    path.write_text(json.dumps({"format": "roofscope-gate-rules", "schema": [1, 0], "kernels": of}))


def sockets(path, n):
    """What armed programs that were killed leave. `ps` removes it."""
    path.mkdir(mode=0o700, exist_ok=True)
    for i in range(n):
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path / f"{i + 1}.sock"))


def ledger(path, n):
    action = {"id": "k/r", "rule": "r", "kernel": "k", "edit": "e", "bound_ns": 1.0}
    outcome = {"state": "kept", "why": "w", "saved_ns": 1.0, "cause": None}
    steps = [{"number": i + 1, "profile": f"p{i}", "action": {**action, "id": f"k{i}/r"},
              "outcome": outcome} for i in range(n)]  # fmt: skip
    path.write_text(json.dumps({"format": "roofscope-loop", "schema": [1, 0], "skipped": [],
                                "steps": steps}))


SHAPES = {
    "launches": (launches, 40_000), "same names": (same_names, 1500),
    "same symbols": (same_symbols, 1500),
    "other names": (other_names, 1500), "ranges of another thread": (host_gaps, 20_000),
    "nested ranges": (nested_ranges, 5000), "transfers": (transfers, 40_000),
    "processes": (processes, 250), "devices": (devices, 250), "issues": (issues, 5000),
    "call sites": (call_sites, 5000), "counters": (counters, 5000),
    "a range each": (own_ranges, 1500), "a long name": (long_name, 20_000),
    "a shape each": (groups, 1500),
}  # fmt: skip
# {0}: the profile, {1}: another of the same shape, {2}: an output file.
COMMANDS = {
    **{f"report -f {f}": ["report", "{0}", "-f", f] for f in
       ("text", "markdown", "json", "jsonl", "html", "csv", "launches-csv", "svg", "perfetto")},
    "report --baseline": ["report", "{0}", "-f", "markdown", "--baseline", "{1}"],
    "report --budget": ["report", "{0}", "-f", "markdown", "--budget", "1000"],
    "report --redact": ["report", "{0}", "-f", "json", "--redact=names"],
    "compare": ["compare", "{0}", "{1}"],
    "compare -f json": ["compare", "{0}", "{1}", "-f", "json"],
    "gate --update": ["gate", "{0}", "--baseline", "{2}.baseline", "--update"],
    "gate": ["gate", "{1}", "--baseline", "{2}.baseline"],
    "merge": ["merge", "{0}", "{1}", "--out", "{2}.merged.json.gz"],
}  # fmt: skip
PYTHON = {
    "show program": ["show", "program", "{0}"],
    "loop": ["loop", "{0}", "--ledger", "{2}.ledger"],
}
# Files of other kinds, and the commands that read them. Their output file must be new.
IMPORT = ["import", "{0}", "--out", "{2}.imported"]
FILES = {
    "a CSV of ncu": (ncu_csv, ".csv", 10_000, {"import": IMPORT, "report": ["report", "{0}"]}),
    "a trace": (trace, ".json", 10_000, {"import": IMPORT, "report": ["report", "{0}"]}),
    "a recording of nsys": (nsys, ".sqlite", 20_000, {"import": IMPORT}),
    "a spool": (spool, ".sh", 20_000,
                {"record": ["record", "--timing-only", "--out", "{2}.recorded", "--", "/bin/sh",
                            "{0}"]}),
    "rules": (rules, ".rules", 250,
              {"gate": ["gate", "{3}", "--baseline", "{3}.baseline", "--rules", "{0}"]}),
    "armed programs": (sockets, "", 5000, {"ps": ["ps", "--folder", "{0}"]}),
    "a ledger": (ledger, ".steps", 5000,
                 {"loop show": ["loop", "show", "--ledger", "{0}"],
                  "loop --skip": ["loop", "--skip", "k0/r", "--ledger", "{0}"]}),
}  # fmt: skip
# Commands that read no input of any size, need a GPU, or serve one of the above.
NO_INPUT = {"doctor", "kernels", "ceilings", "check-loop", "extract", "arm", "snap", "disarm", "rules",
            "view", "try", "review", "mcp", "setup", "ci", "completion"}  # fmt: skip


def seconds(command, environment):
    """CPU seconds of the command and its children; their output is discarded."""
    pid = os.fork()
    if pid == 0:
        try:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            os.execve(command[0], command, environment)
        finally:
            os._exit(127)  # an exception here would remove the parent's folder
    _, status, usage = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


class Meter:
    def __init__(self, roofscope, folder, most_growth, most_seconds):
        self.most_growth, self.most_seconds = most_growth, most_seconds
        self.roofscope, self.folder, self.cases, self.failed = roofscope, folder, 0, []
        self.made_anew = {}  # by name: makes a file that its command removes
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"),
                            "ROOFSCOPE_EXECUTABLE": roofscope,
                            "ROOFSCOPE_INJECT": str(folder / "library.so")}  # fmt: skip
        (folder / "library.so").write_text("not loaded by anybody")

    def files(self, name, shape, count):
        stem = self.folder / f"{name.replace(' ', '_')}-{count}"
        made = shape(count)
        for suffix, command in (("", "a"), ("-2", "b")):
            made["capture"].update(command=[command], created_utc=f"2026-01-01T00:00:0{len(suffix)}Z")
            Path(f"{stem}{suffix}.roofscope.json").write_text(
                json.dumps(made, separators=(",", ":")))
        return [f"{stem}.roofscope.json", f"{stem}-2.roofscope.json", str(stem)]

    def other_files(self, name, write, suffix, count):
        """A file of another kind; the last of the names is a small profile with its baseline."""
        path = self.folder / f"{name.replace(' ', '_')}-{count}{suffix}"
        write(path, count)
        if write == sockets:
            self.made_anew[str(path)] = lambda: write(path, count)
        small = self.files("launches", launches, 2)[0]
        subprocess.run([self.roofscope, "gate", small, "--baseline", f"{small}.baseline",
                        "--update"], check=True, capture_output=True)  # fmt: skip
        return [str(path), "", str(path), small]

    def time(self, words, files):
        Path(f"{files[2]}.ledger").unlink(missing_ok=True)
        python = words[0] in ("show", "loop")
        command = [sys.executable, "-m", "roofscope"] if python else [self.roofscope]
        code, spent = seconds(command + [w.format(*files) for w in words], self.environment)
        if code not in (0, 1, 2, 90):
            raise SystemExit(f"{' '.join(words)} on {files[0]} ended with {code}")
        if files[0] in self.made_anew:
            self.made_anew[files[0]]()
        return spent

    def run(self, name, make, count, commands, only, table):
        tiny, small, large = make(2), make(count), make(4 * count)
        for title, words in commands.items():
            if only and only not in f"{name}: {title}":
                continue
            base, first, then = (self.time(words, files) for files in (tiny, small, large))
            for _ in range(TRIES):
                growth = (then - base) / max(first - base, LEAST_SECONDS / 4)
                slow = then - base > LEAST_SECONDS and growth > self.most_growth
                if not slow and then <= self.most_seconds:
                    break
                # What else the machine does only makes times longer.
                first = min(first, self.time(words, small))
                then = min(then, self.time(words, large))
            else:
                self.failed.append(f"{name} × {count}: {title}: {first:.2f} s, of four times "
                                   f"as many {then:.2f} s ({growth:.1f}×)")
            self.cases += 1
            if table:
                print(f"{name} × {count}: {title}: {first:.2f} s → {then:.2f} s ({growth:.1f}×)",
                      flush=True)


def without_case(roofscope):
    """The commands that the help lists and that are in no case."""
    said = subprocess.run([roofscope, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  ([a-z-]+) ", said.split("Subcommands:")[1].split("Examples:")[0], re.M)
    cases = [*COMMANDS.values(), *PYTHON.values()]
    cases += [words for *_, commands in FILES.values() for words in commands.values()]
    return sorted(set(listed) - {words[0] for words in cases} - NO_INPUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--roofscope", default=str(ROOT / "build/bin/roofscope"))
    parser.add_argument("--only", help="shapes and commands with this text")
    parser.add_argument("--scale", type=float, default=1, help="sizes, as a factor")
    parser.add_argument("--growth-only", action="store_true", help="with generous limits")
    parser.add_argument("--table", action="store_true", help="print every case")
    options = parser.parse_args()
    if missing := without_case(options.roofscope):
        raise SystemExit(f"no case and no reason: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        limits = (10, float("inf")) if options.growth_only else (MOST_GROWTH, MOST_SECONDS)
        meter = Meter(options.roofscope, Path(folder), *limits)

        def measure(name, make, count, commands):
            if not options.only or any(options.only in f"{name}: {title}" for title in commands):
                meter.run(name, make, max(2, int(count * options.scale)), commands, options.only,
                          options.table)

        for name, (shape, count) in SHAPES.items():
            measure(name, lambda n: meter.files(name, shape, n), count,  # noqa: B023
                    {**COMMANDS, **PYTHON})
        for name, (write, suffix, count, commands) in FILES.items():
            measure(name, lambda n: meter.other_files(name, write, suffix, n), count,  # noqa: B023
                    commands)
    print(f"{meter.cases} commands, {len(meter.failed)} grow faster than what they read")
    for line in meter.failed:
        print(line)
    return 1 if meter.failed else 0


if __name__ == "__main__":
    sys.exit(main())
