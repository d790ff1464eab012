# SPDX-License-Identifier: Apache-2.0
"""Makes PyTorch's profiler report operators as NVTX ranges (operators.h).

libroofscope_inject.so runs this inside the profiled Python process (python_hooks.cpp). It provides
follow(on), which sets whether ranges of PyTorch's profiler are taken as operators; seen(), which
tells whether there was one; and when_left(function), which registers what to call when operators
are no longer followed. This script switches on what torch.autograd.profiler.emit_nvtx() switches
on, in the main thread and so in the threads that run its backward passes. It switches that off for
good as soon as the program wants a profiler of its own.

Sizes are asked for only outside of backward passes and of compilation. PyTorch keeps a table of
them that threads of a backward pass would write at the same time, and tensors that a compiler
traces may have no sizes."""

# By module, the functions that switch a profiler on. A missing one is skipped.
PROFILERS = {
    "torch.autograd.profiler": ["_enable_profiler", "_prepare_profiler"],
    "torch.autograd.profiler_legacy": ["_enable_profiler_legacy"],
    "torch.distributed.rpc": ["init_rpc"],  # asks the other side to profile, too
}
BACKWARD = "_engine_run_backward"


class Profiler:
    """PyTorch's profiler, as we switch it on and off. Its functions are those of the moment when
    PyTorch was loaded.

    `ours.sizes`: absent or None unless we have switched something on in this thread. `ended` has an
    item once the profiler is left to the program for good."""

    def __init__(self, follow, ours, ended):
        from torch._C._autograd import _disable_profiler, _enable_profiler, _profiler_enabled
        from torch._C._profiler import (
            ProfilerConfig,
            ProfilerState,
            _ExperimentalConfig,
            _RecordFunctionFast,
        )

        self.follow, self.ours, self.ended = follow, ours, ended
        self.enable, self.disable = _enable_profiler, _disable_profiler
        self.is_on = _profiler_enabled
        self.config, self.states = ProfilerConfig, ProfilerState
        self.experimental, self.range = _ExperimentalConfig, _RecordFunctionFast

    def start(self, sizes):
        config = self.config(
            self.states.NVTX, sizes, False, False, False, False, self.experimental()
        )
        self.enable(config, set())
        self.ours.sizes = sizes

    def stop(self):
        if getattr(self.ours, "sizes", None) is not None:
            self.ours.sizes = None
            self.disable()

    def switch(self, sizes):
        try:
            self.stop()
            if not self.ended:
                self.start(sizes)
        except Exception:
            self.end()

    def end(self, *_):
        """Switches it off for good. Also works in a backward thread, which inherited it."""
        first = not self.ended
        self.ended.append(True)
        self.follow(False)
        try:
            if getattr(self.ours, "sizes", None) is not None:
                self.stop()
            elif first and self.is_on():
                self.disable()
        except Exception:
            pass

    def end_unless_seen(self, seen):
        """Ends it if a range of ours does not arrive: this version of PyTorch reports its ranges in
        another way, so they would look like the program's."""
        if not self.ended:
            with self.range("roofscope"):
                pass
            if not seen():
                self.end()


def without_sizes(profiler, wraps, function):
    """The function, with the profiler switched to ranges without sizes while it runs."""

    @wraps(function)
    def within(*args, **kwargs):
        if getattr(profiler.ours, "sizes", None) is not True:
            return function(*args, **kwargs)
        profiler.switch(False)
        try:
            return function(*args, **kwargs)
        finally:
            if profiler.ours.sizes is False:
                profiler.switch(True)

    return within


def giving_way(profiler, wraps, function):
    """The function, before which our profiler ends for good."""

    @wraps(function)
    def within(*args, **kwargs):
        profiler.end()
        return function(*args, **kwargs)

    return within


def compile_without_sizes(profiler, local, module):
    """Registers with torch._dynamo.callback, so that there are no sizes while it compiles."""
    began = local()

    def begins(*_):
        if getattr(profiler.ours, "sizes", None) is True:
            began.here = True
            profiler.switch(False)

    def ends(*_):
        if getattr(began, "here", False):
            began.here = False
            if profiler.ours.sizes is False:
                profiler.switch(True)

    module.callback_handler.register_start_callback(begins)
    module.callback_handler.register_end_callback(ends)


def install(follow, seen, when_left, when_loaded):
    # Here and not when PyTorch is loaded: the program may have broken them until then.
    import atexit
    import functools
    import os
    import threading

    ours, ended = threading.local(), []  # of all profilers below

    def operators(torch):
        profiler = Profiler(follow, ours, ended)
        if threading.current_thread() is not threading.main_thread() or profiler.is_on():
            return

        def give_way(module):
            for name in PROFILERS[module.__name__]:
                if callable(getattr(module, name, None)):
                    function = getattr(module, name)
                    setattr(module, name, giving_way(profiler, functools.wraps, function))

        when_loaded(PROFILERS, give_way)
        when_loaded(
            ["torch._dynamo.callback"],
            lambda module: compile_without_sizes(profiler, threading.local, module),
        )
        backward = getattr(torch.autograd, BACKWARD, None)
        sizes = callable(backward)
        if sizes:
            setattr(torch.autograd, BACKWARD, without_sizes(profiler, functools.wraps, backward))
        atexit.register(profiler.end)
        when_left(profiler.end)
        os.register_at_fork(after_in_child=profiler.end)
        follow(True)
        profiler.switch(sizes)
        profiler.end_unless_seen(seen)

    when_loaded(["torch"], operators)


try:
    install(follow, seen, when_left, when_loaded)  # noqa: F821 (given)
except Exception:
    pass  # the program runs on; its operators are unknown
