# SPDX-License-Identifier: Apache-2.0
"""When PyTorch's operators are followed, and when not. A fake module stands in for PyTorch (the
real one needs a GPU: tests/frameworks/run.py).
Usage: operators_test.py libautotuning_marks.so"""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

FAKE = {
    "torch/__init__.py": "from . import _C, autograd\n",
    "torch/_C/__init__.py": "",
    "torch/_C/_autograd.py": """
import threading
here = threading.local()
log, fail = [], []
def _profiler_enabled():
    return bool(getattr(here, "config", None))
def _enable_profiler(config, activities):
    if fail:
        raise RuntimeError("no CUDA")
    if _profiler_enabled():
        raise RuntimeError("Profiler is already enabled on this thread.")
    here.config = config
    log.append(config)
def _disable_profiler():
    assert _profiler_enabled()
    here.config = None
    log.append("off")
""",
    "torch/_C/_profiler.py": """
class ProfilerState:
    NVTX = "NVTX"
class _ExperimentalConfig:
    pass
def ProfilerConfig(state, sizes, *rest):
    return f"{state} {'with' if sizes else 'without'} sizes"
class _RecordFunctionFast:
    push = pop = None
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        if type(self).push:
            type(self).push(f"{self.name}, op_id = 1".encode())
    def __exit__(self, *error):
        if type(self).pop:
            type(self).pop()
""",
    "torch/autograd/__init__.py": """
from . import profiler
def _engine_run_backward(do):
    return do()
def backward(do):
    return _engine_run_backward(do)
""",
    "torch/autograd/profiler.py": """
from torch._C._autograd import _enable_profiler
def profile():
    _enable_profiler("the program's", set())
""",
    "torch/_dynamo/__init__.py": "",
    "torch/_dynamo/callback.py": """
class callback_handler:
    starts, ends = [], []
    register_start_callback, register_end_callback = starts.append, ends.append
def compile(do):
    for f in callback_handler.starts: f("args")
    do()
    for f in callback_handler.ends: f("args")
""",
}

lib = ctypes.CDLL(sys.argv[1])
for function in (lib.path, lib.operator_now):
    function.restype = ctypes.c_char_p


def now():
    return lib.operator_now().decode()


def run_pending_calls():
    for _ in range(1000):  # lets the interpreter run them
        pass


def watch():
    lib.watch()
    run_pending_calls()


def ranges():
    """What nested ranges report."""
    lib.at_line(b"train.py", b"forward", 12)
    lib.push(b"aten::linear, seq = 3, op_id = 2, sizes = [[2048, 1024], [4096, 1024], []]")
    assert now() == "aten::linear [2048, 1024], [4096, 1024]", now()
    lib.push(b"aten::addmm, seq = 4, op_id = 3, sizes = [[4096]], input_op_ids = [(0,-1)]")
    assert now() == "aten::addmm [4096]", now()
    lib.pop()
    lib.push(b"my block, with [1], op_id = 4")  # the program's own range, not an operator
    assert now() == "aten::linear [2048, 1024], [4096, 1024]", now()
    lib.pop()
    lib.pop()
    assert now() == "", now()
    lib.pop()  # an observer failed: one pop too many
    assert now() == ""
    # The first operator with number 5 creates no autograd function; the last one is its creator.
    lib.at_line(b"train.py", b"forward", 13)
    lib.push(b"aten::ones, seq = 5, op_id = 5")
    lib.pop()
    lib.at_line(b"train.py", b"forward", 14)
    lib.push(b"aten::gelu, seq = 5, op_id = 6, sizes = [[hostile]]")
    assert now() == "aten::gelu", now()
    lib.pop()

    lib.at_line(b"train.py", b"main", 20)
    for number, line in ((5, 14), (4, 12)):
        lib.push(b"autograd::engine::evaluate_function: XBackward0, op_id = 7")
        lib.push(b"XBackward0, seq = %d, op_id = 8" % number)
        assert now() == f"XBackward0 in XBackward0 of train.py:{line}:forward", now()
        lib.push(b"aten::mm, op_id = 9")
        assert now() == f"aten::mm in XBackward0 of train.py:{line}:forward", now()
        # A forward pass repeated within a backward pass has its own sequence numbers.
        lib.push(b"aten::again, seq = 4, op_id = 10")
        lib.push(b"autograd::engine::evaluate_function: YBackward0, op_id = 11")
        lib.push(b"YBackward0, seq = 4, op_id = 12")
        assert now() == "YBackward0 in YBackward0", now()
        for _ in range(6):
            lib.pop()
    lib.push(b"autograd::engine::evaluate_function: XBackward0, op_id = 13")
    lib.push(b"aten::add_, op_id = 14")  # the engine's own operator
    assert now() == "aten::add_", now()
    lib.pop()
    lib.pop()
    lib.push(b"autograd::engine::evaluate_function: XBackward0, op_id = 15")
    lib.push(b"XBackward0, seq = 65540, op_id = 16")  # this number was not seen, only 4
    assert now() == "XBackward0 in XBackward0", now()
    lib.pop()
    lib.pop()
    for _ in range(3000):
        lib.push(b"x" * 5000 + b"::y")
    assert len(now()) <= 128
    for _ in range(3000):
        lib.pop()
    assert now() == "" and lib.path() == b""


def before_pytorch():
    """All ranges belong to the program."""
    assert lib.profiler_nvtx() == 1
    lib.push(b"aten::mm, op_id = 1")
    assert lib.path() == b"aten::mm, op_id = 1" and now() == ""


def load_pytorch():
    """Returns the fake's module with the log, and PyTorch."""
    watch()
    import torch  # after CUDA's initialisation, as CuPy's programs do

    fake = sys.modules["torch._C._autograd"]
    # No operator arrives, so it is switched off again.
    assert fake.log == ["NVTX with sizes", "off"], fake.log
    lib.pop()
    assert lib.path() == b""
    return fake, torch


def switched_on(fake):
    """It is switched on only where the program has no profiler and PyTorch can."""
    profiler = sys.modules["torch._C._profiler"]
    profiler._RecordFunctionFast.push, profiler._RecordFunctionFast.pop = lib.push, lib.pop
    fake.log.clear()
    fake.here.config = "the program's"
    watch()
    assert fake.log == [], fake.log  # not touched
    fake.here.config = None
    fake.fail.append(True)
    watch()
    assert fake.log == [], fake.log
    fake.fail.clear()
    watch()
    assert fake.log == ["NVTX with sizes"], fake.log


def asks_to_leave():
    left = lib.leave()
    run_pending_calls()
    return left


def left(fake, torch, how):
    """It is switched off when it is asked to, but within no range of the program."""

    def look():
        return fake.here.config

    # At the end of a range that began before, PyTorch would print a warning.
    lib.push(b"Optimizer.step#AdamW.step, op_id = 20")
    asked = 0
    while not asks_to_leave() and (asked := asked + 1) < 3000:
        if asked == 10 and how == "leave":
            assert look() == "NVTX with sizes", fake.log
            lib.pop()
        if asked == 5 and how == "steps":
            lib.pop()
            run_pending_calls()  # what the end of the range asked for
            break
    if how == "steps":  # asked within a range of each step only
        assert asked == 5 and look() is None and fake.log[-1] == "off", (asked, fake.log)
        return
    if how == "stay":  # in a range that never ends
        assert asked == 2000 and look() == "NVTX with sizes", (asked, fake.log)
        return
    assert asked == 10 and look() is None and fake.log[-1] == "off", (asked, fake.log)
    torch.autograd.backward(look)
    assert look() is None


def sizes_left_out(fake, torch):
    """No sizes in backward passes and while it compiles; exceptions reach the program."""

    def look():
        return fake.here.config

    fake.log.clear()
    assert torch.autograd.backward(look) == "NVTX without sizes"
    assert look() == "NVTX with sizes"
    try:
        torch.autograd.backward(lambda: 1 // 0)
    except ZeroDivisionError:
        pass
    assert look() == "NVTX with sizes"
    import torch._dynamo.callback as dynamo

    seen = []
    dynamo.compile(lambda: seen.append(look()))
    torch.autograd.backward(lambda: dynamo.compile(lambda: seen.append(look())))
    assert seen == ["NVTX without sizes"] * 2 and look() == "NVTX with sizes", seen


def elsewhere(fake):
    """Other threads and children have no profiler of ours."""
    seen = []
    thread = threading.Thread(target=lambda: seen.append(getattr(fake.here, "config", None)))
    thread.start()
    thread.join()
    assert seen[-1] is None

    child = os.fork()
    if child == 0:
        os._exit(1 if fake._profiler_enabled() else 0)
    assert os.waitpid(child, 0)[1] == 0 and fake.here.config == "NVTX with sizes"


def given_way(fake, torch):
    """The program's own profiler switches ours off for good."""
    fake.log.clear()
    torch.autograd.profiler.profile()
    assert fake.log == ["off", "the program's"], fake.log
    lib.push(b"aten::mm, op_id = 1")
    assert lib.path() == b"aten::mm, op_id = 1" and now() == ""
    lib.pop()
    fake._disable_profiler()
    torch.autograd.backward(lambda: None)
    assert fake.here.config is None


def main():
    # Lines are set by hand here, not by the interpreter (see call_sites_test.py).
    for tool in range(2, 6) if hasattr(sys, "monitoring") else ():
        sys.monitoring.use_tool_id(tool, "another")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FAKE.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        sys.path.insert(0, folder)

        before_pytorch()
        fake, torch = load_pytorch()
        switched_on(fake)
        ranges()
        if sys.argv[2:]:
            return left(fake, torch, sys.argv[2])
        sizes_left_out(fake, torch)
        elsewhere(fake)
        given_way(fake, torch)
    for how in ("leave", "steps", "stay"):
        subprocess.run([sys.executable, __file__, sys.argv[1], how], check=True)
    print("OK")


main()
