# SPDX-License-Identifier: Apache-2.0
"""Python programs that misuse what roofscope hooks into, one kind of mischief for each mode (see
hostile_cases.py): hostile_program.py LIBRARY MODE. They print "ok" where their own checks hold."""

import ctypes
import gc
import os
import signal
import sys
import threading
import time
import types

LIBRARY = sys.argv[1]
MODE = sys.argv[2]


def launch(times=1):
    gpu.hostile_launch(times)


def steps(count=20):
    for _ in range(count):
        launch(2)


if MODE not in ("late-fork", "gevent"):
    gpu = ctypes.CDLL(LIBRARY)


def monitoring_taken():
    for tool in range(6):
        sys.monitoring.use_tool_id(tool, f"mine {tool}")
    steps()
    assert all(sys.monitoring.get_tool(tool) == f"mine {tool}" for tool in range(6))


def monitoring_stolen():
    """Frees every tool, also those of others, and takes them: callbacks of others end."""
    launch(2)
    for _ in range(20):
        for tool in range(6):
            if sys.monitoring.get_tool(tool) is not None:
                sys.monitoring.free_tool_id(tool)
        launch(1)
        time.sleep(0.01)
    for tool in range(6):
        sys.monitoring.use_tool_id(tool, "mine")
    steps()


def traced():
    lines = []
    sys.settrace(lambda frame, event, argument: lines.append(event))
    threading.settrace(lambda *arguments: None)
    sys.setprofile(lambda *arguments: None)
    steps()
    sys.settrace(None)
    assert lines


def recursion():
    sys.setrecursionlimit(20_000)

    def deeper(n):
        if n == 0:
            launch(3)
            return
        deeper(n - 1)

    threading.stack_size(512 << 20)
    for _ in range(3):
        thread = threading.Thread(target=deeper, args=(15_000,))
        thread.start()
        thread.join()


def names():
    """Functions and files whose names are an attack on terminals, Markdown and pages."""
    bad = [
        "\x1b]0;owned\x07",
        "`</code><script>alert(1)</script>",
        "a\nb\rc",
        "\udcff\udc80",
        "x" * 100_000,
        "[x](javascript:alert(1))",
        "| a |",
        "",
        "../../etc/passwd",
        "\u202ereversed",
        "%s%n",
        '"},{"x":"',
    ]
    for name in bad:
        code = (lambda: launch(2)).__code__
        try:
            code = code.replace(co_filename=f"/tmp/{name}.py", co_name=name, co_qualname=name)
        except (ValueError, UnicodeError):
            continue
        function = types.FunctionType(code, globals())
        for _ in range(3):
            function()


def no_modules():
    launch(1)
    kept = dict(sys.modules)
    sys.modules.clear()
    sys.meta_path.clear()
    sys.path.clear()
    steps()
    sys.modules.update(kept)


def strange_torch():
    class Torch(types.ModuleType):
        def __getattr__(self, name):
            raise RuntimeError("hands off")

        def __repr__(self):
            raise RuntimeError("hands off")

    for name in (
        "torch",
        "triton",
        "jax",
        "jaxlib",
        "torch._inductor",
        "triton.runtime.autotuner",
        "cupy",
    ):
        sys.modules[name] = Torch(name)
        sys.modules[name + ".x"] = 7
    sys.modules["torch.autograd"] = None
    steps()


def builtins_gone():
    import builtins

    launch(1)
    kept = {
        name: getattr(builtins, name)
        for name in ("open", "__import__", "getattr", "len", "isinstance", "print")
    }

    def refuse(*arguments, **options):
        raise MemoryError("no")

    for name in kept:
        setattr(builtins, name, refuse)
    for _ in range(20):
        gpu.hostile_launch(2)
    for name, value in kept.items():
        setattr(builtins, name, value)


def sub_interpreters():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    code = f"""
import ctypes
gpu = ctypes.CDLL({LIBRARY!r})
def step():
    gpu.hostile_launch(2)
for _ in range(10):
    step()
"""
    launch(1)

    def run():
        number = interpreters.create(isolated=False)
        interpreters.run_string(number, code)
        interpreters.destroy(number)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    run()
    for thread in threads:
        thread.join()


def only_sub_interpreter():
    """CUDA begins in a sub-interpreter: the main one never launches."""
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    number = interpreters.create(isolated=False)
    interpreters.run_string(
        number,
        f"import ctypes\ngpu = ctypes.CDLL({LIBRARY!r})\nfor _ in range(10):\n    gpu.hostile_launch(2)\n",
    )
    interpreters.destroy(number)


def threads_switch():
    sys.setswitchinterval(1e-6)
    pool = [threading.Thread(target=steps, args=(30,)) for _ in range(16)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()


def own_signals():
    seen = []
    signal.signal(signal.SIGURG, lambda *arguments: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    signal.signal(signal.SIGALRM, lambda *arguments: None)
    signal.set_wakeup_fd(-1)
    for _ in range(100):
        launch(1)
        sum(range(20_000))
    signal.setitimer(signal.ITIMER_REAL, 0)
    if seen:
        raise SystemExit("a signal of somebody else reached the program")


def fork_and_launch():
    launch(1)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    child = os.fork()
    if child == 0:
        sys.exit(0)  # with all exit handlers
    os.waitpid(child, 0)
    steps()


def late_fork():
    global gpu
    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            gpu = ctypes.CDLL(LIBRARY)
            steps(5)
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0] * 6, codes


def exec_in_thread():
    launch(3)
    sys.stdout.flush()

    def run():
        os.execv("/bin/echo", ["echo", "executed"])

    thread = threading.Thread(target=run)
    thread.start()
    while True:
        launch(1)


def segfault():
    import faulthandler

    faulthandler.enable(open(os.devnull, "w"))
    steps(3)
    sys.stdout.flush()
    ctypes.string_at(0)


def exits():
    import atexit

    atexit.register(lambda: launch(3))
    atexit.register(lambda: sys.exit(5))
    steps(3)


def exit_in_thread():
    steps(3)
    print("leaving", flush=True)
    threading.Thread(target=lambda: os._exit(6)).start()
    while True:
        launch(1)


def collected():
    """A collection at every allocation, and finalizers that launch."""

    class Dies:
        def __del__(self):
            launch(1)

    gc.set_threshold(1)
    for _ in range(30):
        one = Dies()
        one.me = one
        del one
    gc.set_threshold(700)
    gc.collect()


def generators():
    def rows():
        for n in range(1000):
            try:
                yield n
            finally:
                if n % 100 == 0:
                    launch(1)

    for row in rows():
        if row > 500:
            break
    import asyncio

    async def one():
        launch(1)
        await asyncio.sleep(0.001)
        launch(1)

    async def all_of_them():
        await asyncio.gather(*(one() for _ in range(30)))

    asyncio.run(all_of_them())


def with_gevent():
    from gevent import monkey

    monkey.patch_all()
    import gevent

    global gpu
    gpu = ctypes.CDLL(LIBRARY)

    def one():
        for _ in range(10):
            launch(1)
            gevent.sleep(0.001)

    gevent.joinall([gevent.spawn(one) for _ in range(20)])
    pool = gevent.get_hub().threadpool
    pool.map(lambda n: launch(1), range(10))


def with_greenlets():
    import greenlet

    def one():
        launch(1)
        main.switch()
        launch(1)

    main = greenlet.getcurrent()
    for _ in range(50):
        child = greenlet.greenlet(one)
        child.switch()
        child.switch()


def torch_steps(count=6):
    import torch

    model = torch.nn.Sequential(
        torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.Linear(256, 256)
    ).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(count):
        x = torch.randn(64, 256, device="cuda")
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


def torch_profiler():
    """Trains before, during and after the use of a profiler of its own."""
    import torch

    torch_steps(2)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        torch_steps(3)
    assert any("linear" in event.key for event in profile.key_averages())
    with torch.autograd.profiler.emit_nvtx():
        torch_steps(2)
    torch_steps(2)


def torch_workers():
    """Workers that are forked, and one that dies."""
    import torch

    class Numbers(torch.utils.data.Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, index):
            return torch.full((256,), float(index))

    torch_steps(2)
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=3, pin_memory=True)
    for batch in loader:
        batch.cuda(non_blocking=True).sum().item()
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    os.waitpid(child, 0)
    torch_steps(2)


def torch_traps():
    """Modules that pretend to be PyTorch's, and functions of it that fail."""
    import torch

    def fails(*arguments, **options):
        raise RuntimeError("hands off")

    torch.autograd.profiler._enable_profiler = fails
    torch.autograd.profiler._prepare_profiler = fails
    torch._C._autograd._profiler_enabled = fails
    torch_steps(6)


def deleted():
    """The script, its folder and the current folder are gone."""
    launch(1)
    import shutil

    shutil.rmtree(os.getcwd())
    steps()


MODES = {
    "plain": steps, "monitoring-taken": monitoring_taken, "monitoring-stolen": monitoring_stolen, "traced": traced,
    "recursion": recursion, "names": names, "no-modules": no_modules, "strange-torch": strange_torch,
    "builtins-gone": builtins_gone, "sub-interpreters": sub_interpreters,
    "only-sub-interpreter": only_sub_interpreter, "threads-switch": threads_switch, "own-signals": own_signals,
    "fork": fork_and_launch, "late-fork": late_fork, "exec-in-thread": exec_in_thread, "segfault": segfault,
    "exits": exits, "exit-in-thread": exit_in_thread, "collected": collected, "generators": generators,
    "gevent": with_gevent, "greenlets": with_greenlets, "deleted": deleted, "torch-profiler": torch_profiler,
    "torch-workers": torch_workers, "torch-traps": torch_traps,
}  # fmt: skip
MODES[MODE]()
print("ok", flush=True)
