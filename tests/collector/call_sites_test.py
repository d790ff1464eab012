# SPDX-License-Identifier: Apache-2.0
"""Which line of the program's own Python code is reported for a call, from all kinds of code.
Usage: call_sites_test.py libautotuning_marks.so"""
import ctypes
import json
import os
import subprocess
import sys
import threading
import types

if sys.version_info < (3, 12):
    print("skipped: call sites of Python need version 3.12, this is " + sys.version.split()[0])
    sys.exit(77)

lib = ctypes.CDLL(sys.argv[1])
for function in (lib.here, lib.here_in_foreign_thread):
    function.restype = ctypes.c_char_p


def here():
    return lib.here().decode()


def line():
    return sys._getframe(1).f_lineno


def place(function, number, mark=""):
    return f"{mark}call_sites_test.py:{number}:{function}"


class Model:
    def forward(self):
        return lib.here().decode(), line()


def numbers():
    yield lib.here().decode(), line()
    yield lib.here().decode(), line()


def raising():
    raise ValueError


def computing(lines):
    total = 0
    while total < lines:
        total += 1
    return lib.here().decode()


def calling(lines):
    inside = computing(lines)
    return inside, lib.here().decode(), line()


def following(function):
    return sys.monitoring.get_local_events(4, function.__code__) != 0


def main():
    lib.watch()
    for _ in range(1000):  # lets the interpreter run pending calls
        pass
    found, number = lib.here().decode(), line()
    assert found == place("main", number), found

    found, number = Model().forward()
    assert found == place("Model.forward", number), found
    # Back in the caller, on the same line as the call.
    found, number = (Model().forward(), lib.here().decode())[1], line()
    assert found == place("main", number), found

    for found, number in numbers():
        assert found == place("numbers", number), found
        found, number = lib.here().decode(), line()
        assert found == place("main", number), found

    # Installed packages are not the program's code: the line that calls them is reported.
    seen = []
    json.dumps({"a": 1}, default=str)
    found, number = json.loads("[1]", object_hook=None, parse_int=lambda text: here()), line()
    assert found[0].endswith(":here"), found  # our own function within json
    sorted([2, 1], key=lambda n: seen.append(lib.here().decode()) or n); number = line()
    assert seen[0] == place("main.<locals>.<lambda>", number), seen

    try:
        raising()
    except ValueError:
        found, number = lib.here().decode(), line()
    assert found == place("main", number), found

    # A thread of the program has its own line; a C++ thread gets the main thread's.
    thread = threading.Thread(target=lambda: seen.append(lib.here().decode()))
    thread.start()
    thread.join()
    assert seen[-1].endswith("main.<locals>.<lambda>") and not seen[-1].startswith("~"), seen
    found, number = lib.here_in_foreign_thread().decode(), line()
    assert found == place("main", number, "~"), found

    # Names that cannot be written as text raise nothing in the program.
    code = here.__code__.replace(co_filename="/tmp/\udcff.py", co_name="\udc80", co_qualname="\udc80")
    found = types.FunctionType(code, globals())()
    assert found.startswith("\\udcff.py:") and found.endswith(":\\udc80"), found

    # A function that runs very many lines for each call is not followed any more. Its lines, and
    # those of its caller, are read from the interpreter then.
    for _ in range(100):
        assert computing(400).endswith(":computing") and following(computing)
    inside = place("computing", computing.__code__.co_firstlineno + 4)
    for lines in (10_000, 10):
        found, own, number = calling(lines)
        assert found == inside and own == place("calling", number), (found, own)
        assert not following(computing) and following(calling) and following(Model.forward)
    found, number = lib.here().decode(), line()
    assert found == place("main", number), found
    found, number = Model().forward()
    assert found == place("Model.forward", number), found

    # A forked process follows nothing; its parent goes on.
    child = os.fork()
    if child == 0:
        os._exit(0 if sys.monitoring.get_tool(4) is None and not following(main) else 1)
    assert os.waitpid(child, 0)[1] == 0
    found, number = Model().forward()
    assert found == place("Model.forward", number), found

    # After leaving nothing calls back any more, neither from followed nor from new code.
    calls = []
    before = lib.here()
    assert not lib.leave()
    for _ in range(1000):
        pass
    assert lib.leave()
    assert sys.monitoring.get_tool(4) is None
    exec("def new():\n    return 1\nnew()", {"__name__": "new"})
    Model().forward()
    assert lib.here() == lib.here() and lib.here() != place("main", line()).encode(), before
    for code in (main.__code__, Model.forward.__code__, here.__code__, computing.__code__):
        assert sys.monitoring.get_local_events(3, code) == 0
    subprocess.run([sys.executable, __file__, sys.argv[1], "freed"], check=True)
    print("OK")


def freed():
    """A program that frees and takes all numbers of sys.monitoring goes on, and keeps its own."""
    lib.watch()
    for _ in range(1000):
        pass
    assert sys.monitoring.get_tool(4) == "roofscope"
    sys.monitoring.free_tool_id(4)
    exec("def new():\n    return 1\nnew()", {"__name__": "new"})
    Model().forward()
    sys.monitoring.use_tool_id(4, "mine")
    exec("def new():\n    return 1\nnew()", {"__name__": "new"})
    Model().forward()
    lib.leave()
    for _ in range(1000):
        pass
    lib.leave()
    assert sys.monitoring.get_tool(4) == "mine"


freed() if "freed" in sys.argv else main()
