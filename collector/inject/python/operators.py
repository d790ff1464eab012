# SPDX-License-Identifier: Apache-2.0
"""Run by libroofscope_inject.so inside the profiled Python process (python_hooks.cpp), which provides
follow(on), whether ranges of PyTorch's profiler are taken for operators (operators.h), seen(), whether
there was one, and when_left(function), which is called when operators are not to be followed any more.
Switches on what torch.autograd.profiler.emit_nvtx() switches on, in the main thread and so in the threads
that run its backward passes, and off for good as soon as the program wants a profiler of its own.

Sizes are asked for outside of backward passes and of compilation only. PyTorch keeps a table beside them
that threads of a backward pass would write at the same time, and tensors that a compiler traces may have
no sizes."""

# Of each module, what switches a profiler on. One that is missing is left out.
PROFILERS = {
    "torch.autograd.profiler": ["_enable_profiler", "_prepare_profiler"],
    "torch.autograd.profiler_legacy": ["_enable_profiler_legacy"],
    "torch.distributed.rpc": ["init_rpc"],  # asks the other side to profile, too
}
BACKWARD = "_engine_run_backward"


def install(follow, seen, when_left, when_loaded):
    import atexit
    import functools
    import os
    import threading

    ours = threading.local()  # .sizes: absent or None while nothing of ours is on in this thread
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
            """For good. A thread of a backward pass has it from the thread that began the pass."""
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
            if not seen():  # its ranges take another way in this version, and would be the program's
                end()

    when_loaded(["torch"], operators)


try:
    install(follow, seen, when_left, when_loaded)  # noqa: F821 (given)
except Exception:
    pass  # the program runs on, its operators unknown
