# SPDX-License-Identifier: Apache-2.0
"""What samples say of a Python program: functions and lines, with the compiled code they call.
Usage: cpu_samples_test.py libcpu_sampler_probe.so"""
import collections
import ctypes
import os
import platform
import random
import sys
import threading
import time

if not (3, 11) <= sys.version_info < (3, 15) or platform.machine() != "x86_64":
    print("skipped: frames of this Python are not read: " + sys.version.split()[0])
    sys.exit(77)

lib = ctypes.CDLL(sys.argv[1])
lib.stop_sampling.restype = ctypes.c_char_p
lib.spin_in_c.argtypes = [ctypes.c_double]


def sampled(work, seconds=3.0):
    """The samples of this thread while it calls `work`: (wait, frames)."""
    assert lib.start_sampling() == 1
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        work()
    lines = lib.stop_sampling().decode().splitlines()
    assert not any(line.startswith("problem") for line in lines), lines
    assert len(lines) > seconds * 50, len(lines)
    return [(line.split("\t")[0], line.split("\t")[1:]) for line in lines]


def python_frames(frames):
    return [frame.split(":")[2] for frame in frames if frame.count(":") == 2]


def spin(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(range(100))


TOOK = collections.Counter()  # CPU time that each function really took: this machine may be busy


def some(seconds):
    """The sampler follows the clock ticks of the system; work of a fixed length would keep step."""
    return seconds * random.uniform(0.5, 1.5)


def fifty():
    spin(some(0.010))


def thirty():
    spin(some(0.006))


class Twenty:
    def __call__(self):
        spin(some(0.004))


def three_functions():
    for name, function in (("fifty", fifty), ("thirty", thirty), ("Twenty.__call__", Twenty())):
        begun = time.thread_time()
        function()
        TOOK[name] += time.thread_time() - begun


def share_of(samples, function):
    return sum(function in python_frames(frames) for _, frames in samples) / len(samples)


def check_three_functions():
    samples = sampled(three_functions, 6.0)
    for function, seconds in TOOK.items():
        seen, took = share_of(samples, function), seconds / TOOK.total()
        # On a busy machine, all samples of one wait for the CPU are alike: count them as one.
        chance = (took * (1 - took) / (len(samples) / 3)) ** 0.5
        assert abs(seen - took) < 5 * chance, (function, seen, took, len(samples))
    # Every stack is whole, and has the lines of the calls.
    whole = sum("three_functions" in python_frames(frames) and "sampled" in python_frames(frames)
                for _, frames in samples)
    assert whole > 0.95 * len(samples), (whole, len(samples))
    first = fifty.__code__.co_firstlineno
    lines = collections.Counter(frame for _, frames in samples for frame in frames
                                if frame.endswith(":fifty"))
    assert lines.most_common(1)[0][0] == f"cpu_samples_test.py:{first + 1}:fifty", lines


def into_c():
    lib.spin_in_c(0.005)


def check_compiled_code():
    samples = sampled(into_c)
    own = os.path.basename(sys.argv[1])
    both = [frames for _, frames in samples
            if own in frames and "into_c" in python_frames(frames)]
    assert len(both) > 0.9 * len(samples), (len(both), len(samples))
    for frames in both:  # the compiled code is within the function that called it
        names = [frame.split(":")[-1] for frame in frames]
        assert names.index(own) < names.index("into_c"), frames


CALLBACK = ctypes.CFUNCTYPE(None)


@CALLBACK
def called_back():
    spin(0.005)


def through_c():
    lib.call_back(called_back)


def check_callback():
    samples = sampled(through_c)
    own = os.path.basename(sys.argv[1])
    order = 0
    for _, frames in samples:
        names = [frame.split(":")[-1] for frame in frames]
        if {"called_back", own, "through_c"} <= set(names):
            order += names.index("called_back") < names.index(own) < names.index("through_c")
    assert order > 0.8 * len(samples), (order, len(samples))


def check_generator():
    def numbers():
        while True:
            spin(0.002)
            yield 1

    source = numbers()
    samples = sampled(lambda: next(source))
    assert share_of(samples, "check_generator.<locals>.numbers") > 0.9


def check_waiting():
    samples = sampled(lambda: time.sleep(0.02))
    sleeping = [frames for wait, frames in samples if wait == "sleep"]
    assert len(sleeping) > 0.8 * len(samples), (len(sleeping), len(samples))
    assert sum("sampled" in python_frames(frames) for frames in sleeping) > 0.9 * len(sleeping)


def check_many_threads():
    """Threads that come and go, and code that is made and dropped, do no harm."""
    def short():
        code = compile("sum(range(1000))", "<made>", "exec")
        exec(code)

    def work():
        threads = [threading.Thread(target=short) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    sampled(work)


for check in (check_three_functions, check_compiled_code, check_callback, check_generator,
              check_waiting, check_many_threads):
    check()
    print(check.__name__)
