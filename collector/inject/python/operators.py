# SPDX-License-Identifier: Apache-2.0
"""Makes PyTorch's profiler report operators as NVTX ranges (operators.h).

libroofscope_inject.so runs this inside the profiled Python process (python_hooks.cpp). It provides
- follow(on), which sets whether ranges of PyTorch's profiler count as operators,
- seen(), which tells whether there was such a range,
- when_left(function), which registers a function to call when operators are no longer followed.

This script switches on what torch.autograd.profiler.emit_nvtx() switches on, in the main thread and
thus in the threads that run its backward passes. It switches that off for good as soon as the
program starts a profiler of its own.

Sizes are requested only outside of backward passes and compilation. PyTorch stores them in a table
that the threads of a backward pass would write concurrently, and tensors that a compiler traces may
have no sizes."""

# By module, the functions that switch a profiler on. A missing one is skipped.
PROFILERS = {
    "torch.autograd.profiler": ["_enable_profiler", "_prepare_profiler"],
    "torch.autograd.profiler_legacy": ["_enable_profiler_legacy"],
    "torch.distributed.rpc": ["init_rpc"],  # makes the other side profile as well
}
BACKWARD = "_engine_run_backward"


def install(follow, seen, when_left, when_loaded):
    import atexit
    import functools
    import os
    import threading

    # .sizes: whether our profiler in this thread asks for sizes; None or absent if it is not on.
    ours = threading.local()
    ended = []

    def operators(torch):
        from torch._C._autograd import _disable_profiler, _enable_profiler, _profiler_enabled
        from torch._C._profiler import (
            ProfilerConfig,
            ProfilerState,
            _ExperimentalConfig,
            _RecordFunctionFast,
        )

        if threading.current_thread() is not threading.main_thread() or _profiler_enabled():
            return

        def start(sizes):
            config = ProfilerConfig(
                ProfilerState.NVTX, sizes, False, False, False, False, _ExperimentalConfig()
            )
            _enable_profiler(config, set())
            ours.sizes = sizes

        def stop():
            if getattr(ours, "sizes", None) is not None:
                ours.sizes = None
                _disable_profiler()

        def switch(sizes):
            try:
                stop()
                if not ended:
                    start(sizes)
            except Exception:
                end()

        def end(*_):
            """Switches it off for good. Also works in a backward thread, which inherited it."""
            first = not ended
            ended.append(True)
            follow(False)
            try:
                if getattr(ours, "sizes", None) is not None:
                    stop()
                elif first and _profiler_enabled():
                    _disable_profiler()
            except Exception:
                pass

        def without_sizes(function):
            @functools.wraps(function)
            def within(*args, **kwargs):
                if getattr(ours, "sizes", None) is not True:
                    return function(*args, **kwargs)
                switch(False)
                try:
                    return function(*args, **kwargs)
                finally:
                    if ours.sizes is False:
                        switch(True)

            return within

        def giving_way(function):
            @functools.wraps(function)
            def within(*args, **kwargs):
                end()
                return function(*args, **kwargs)

            return within

        def give_way(module):
            for name in PROFILERS[module.__name__]:
                if callable(getattr(module, name, None)):
                    setattr(module, name, giving_way(getattr(module, name)))

        def compile_without_sizes(module):
            began = threading.local()

            def begins(*_):
                if getattr(ours, "sizes", None) is True:
                    began.here = True
                    switch(False)

            def ends(*_):
                if getattr(began, "here", False):
                    began.here = False
                    if ours.sizes is False:
                        switch(True)

            module.callback_handler.register_start_callback(begins)
            module.callback_handler.register_end_callback(ends)

        when_loaded(PROFILERS, give_way)
        when_loaded(["torch._dynamo.callback"], compile_without_sizes)
        sizes = callable(getattr(torch.autograd, BACKWARD, None))
        if sizes:
            setattr(torch.autograd, BACKWARD, without_sizes(getattr(torch.autograd, BACKWARD)))
        atexit.register(end)
        when_left(end)
        os.register_at_fork(after_in_child=end)
        follow(True)
        switch(sizes)
        if not ended:
            with _RecordFunctionFast("roofscope"):
                pass
            # This version of PyTorch reports its ranges differently, so they would look like the
            # program's.
            if not seen():
                end()

    when_loaded(["torch"], operators)


try:
    install(follow, seen, when_left, when_loaded)  # noqa: F821 (given)
except Exception:
    pass  # the program runs on; its operators are unknown
