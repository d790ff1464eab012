#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What samples say of the workers that a Python program has forked and waits for, with a fake driver and CUPTI.

cpu_samples_workers_test.py ROOFSCOPE INJECT FAKE_DRIVER FAKE_CUPTI FAKE_LAUNCHES
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

# Each case is a program that launches a kernel, waits for a batch of its workers, and so on. They write down what CPU
# time each function of theirs really took: this machine may be busy.
PROGRAM = """\
import ctypes, json, multiprocessing, os, queue, random, socket, sys, threading, time
case, took, driver, cupti, launches = sys.argv[1:6]
os.environ["ROOFSCOPE_CUPTI"] = cupti
ctypes.CDLL(driver, mode=ctypes.RTLD_GLOBAL)
ctypes.CDLL(cupti)
fake = ctypes.CDLL(launches)
fake.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint64]
fake.fake_clock.argtypes = [ctypes.c_uint64]
KERNEL = ctypes.create_string_buffer(b"step")
BATCHES = 120


def launch():
    fake.fake_clock(time.monotonic_ns())
    fake.fake_launch(KERNEL, 4, 100_000)


def end_of(seconds):
    return time.thread_time() + seconds * random.uniform(0.5, 1.5)


def decode():
    until = end_of(0.021)
    while time.thread_time() < until:
        sum(range(500))


def augment():
    until = end_of(0.009)
    while time.thread_time() < until:
        sum(range(500))


def work(tasks, batches):
    times = {"decode": 0.0, "augment": 0.0}
    random.seed(os.getpid())
    # Code that the parent does not have, where it may have other code.
    exec(compile("\\n" * 400 + "def late(function):\\n    function()", sys.argv[0], "exec"), globals())
    while tasks.get() is not None:
        for function in decode, augment:
            begun = time.thread_time()
            late(function)
            times[function.__name__] += time.thread_time() - begun
        batches.put(b"x" * 1000)
    with open(f"{took}.{os.getpid()}", "w") as file:
        json.dump(times, file)


def rest(tasks):  # has nothing to do
    while tasks.get() is not None:
        pass


def connected():  # another program's answer, which no worker gives
    near, far = socket.socketpair()
    def answer():
        while True:
            time.sleep(0.03)
            far.send(b"x")
    threading.Thread(target=answer, daemon=True).start()
    return lambda: near.recv(1)


def condition(batches):  # as with pin_memory=True: a thread waits for the workers
    ready = queue.Queue()
    def pin():
        while True:
            ready.put(batches.get())
    threading.Thread(target=pin, daemon=True).start()
    return ready.get


fork = multiprocessing.get_context("spawn" if case == "spawned" else "fork")


def main():
    fake.fake_real_clock()
    assert ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection() == 1
    tasks, nothing, batches = fork.Queue(), fork.Queue(), fork.Queue()
    workers = [fork.Process(target=work, args=(tasks, batches)) for _ in range(2)]
    workers.append(fork.Process(target=rest, args=(nothing,)))
    for worker in workers:
        worker.start()
    for _ in range(4):
        tasks.put(1)
    get = {"pinned": lambda: condition(batches), "socket": connected}.get(case, lambda: batches.get)()
    for _ in range(BATCHES):
        launch()
        get()
        tasks.put(1)
    launch()
    for _ in workers:
        tasks.put(None)
    nothing.put(None)
    while any(worker.is_alive() for worker in workers):
        try:
            batches.get(timeout=0.05)
        except queue.Empty:
            pass


if __name__ == "__main__":
    main()
"""


class Case:
    """What is reported of one run of the program."""

    def __init__(self, tools, name, *options):
        roofscope, inject, *fakes = tools
        with tempfile.TemporaryDirectory() as folder:
            program, out, took = Path(folder, "train.py"), Path(folder, "out.roofscope.json"), Path(folder, "took")
            program.write_text(PROGRAM)
            environment = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_INJECTION")}
            environment |= {"ROOFSCOPE_INJECT": inject, "ROOFSCOPE_CUPTI": fakes[1]}
            environment["LD_LIBRARY_PATH"] = str(Path(fakes[0]).parent)
            command = [roofscope, "record", "-q", "--timing-only", *options, "--out", str(out), "--", sys.executable]
            subprocess.run([*command, str(program), name, str(took), *fakes], env=environment, check=True, timeout=120)
            self.profile = json.loads(out.read_text())
            text = subprocess.run([roofscope, "report", "--format", "json", str(out)], stdout=subprocess.PIPE, check=True)
            actions = json.loads(text.stdout)["program"]["actions"]
            self.action = next(action for action in actions if action["rule"] == "host-bound")
            self.times = {}
            for file in Path(folder).glob("took.*"):
                for function, seconds in json.loads(file.read_text()).items():
                    self.times[function] = self.times.get(function, 0) + seconds
        self.functions = self.action["host_functions"]

    def named(self):
        return {f["function"] for f in self.functions}

    def share(self, function):
        return sum(f["share"] for f in self.functions if f["function"] == function)


def check_named(case):
    """The workers' functions, in their true shares and with their lines, and an advice that fits."""
    total = sum(case.times.values())
    named = case.share("decode") + case.share("augment")
    assert named > 0.85, case.functions
    for function, seconds in case.times.items():
        assert abs(case.share(function) / named - seconds / total) < 0.05, (function, case.functions, case.times)
    for function in case.functions[:2]:
        assert function["in_worker"] and function["waits"] is None, function
    first = PROGRAM[: PROGRAM.index("def decode")].count("\n") + 1
    places = {f"train.py:{first + line}" for line in (2, 3)}
    assert case.functions[0]["function"] == "decode" and case.functions[0]["place"] in places, (case.functions, places)
    assert "(in worker processes)" in case.action["host_text"], case.action["host_text"]
    assert "Worker processes do this already" in case.action["edit"], case.action["edit"]
    assert not case.named() & {"rest", "late", "connected"}, case.functions
    assert sum(thread.get("worker", False) for thread in case.profile["timeline"]["threads"]) in (2, 3)


def check_not_named(case):
    """No worker: the wait itself is named, as if there were no workers."""
    assert case.functions and not case.named() & {"decode", "augment", "late", "rest"}, case.functions
    assert not any(function["in_worker"] for function in case.functions), case.functions
    assert "Worker processes" not in case.action["edit"], case.action["edit"]


def main():
    if not (3, 11) <= sys.version_info[:2] <= (3, 14) or platform.machine() != "x86_64":
        print("skipped: frames of this version of Python are not known")
        return 77
    tools = sys.argv[1:6]
    for name, check in (
        ("queue", check_named),
        ("pinned", check_named),
        ("socket", check_not_named),  # the workers work, but it waits for something else
        ("spawned", check_not_named),
    ):
        case = Case(tools, name)
        print(name, case.action["host_text"], flush=True)
        check(case)
    off = Case(tools, "queue", "--cpu-samples", "off")
    assert not off.functions and not any("worker" in thread for thread in off.profile["timeline"]["threads"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
