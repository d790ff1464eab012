# SPDX-License-Identifier: Apache-2.0
"""Marks what Triton, PyTorch's Inductor and XLA launch while they try out configurations.

libroofscope_inject.so runs this inside the profiled Python process (python_hooks.cpp). It provides
begin() and end(), and another such pair for compilers, which launch in their own threads. Functions
that time candidates are wrapped, both in loaded modules and in modules that are loaded later. A
function that differs from what is expected here stays as it is.

tuning() returns the folder in which the first run stores its measurements. Later runs read them
there, so they choose the same kernels and launch no candidates."""

# By module and class, the methods that launch candidates. They differ between versions; a missing
# one is skipped.
TIMING_METHODS = {
    "triton.runtime.autotuner": {"Autotuner": ["_bench"]},
    "torch._inductor.runtime.triton_heuristics": {
        "CachingAutotuner": ["bench", "benchmark_all_configs"],
    },
    "torch._inductor.runtime.benchmarking": {
        "Benchmarker": ["benchmark", "benchmark_gpu"],
        "TritonBenchmarker": ["benchmark_gpu"],
        "InductorBenchmarker": ["benchmark_gpu"],
    },
    "torch._inductor.select_algorithm": {
        "AlgorithmSelectorCache": [
            "__call__",
            "benchmark_choices",
            "benchmark_in_current_process",
        ],
    },
}

# By module, the functions in which a compiler launches kernels to choose among them (XLA's GEMM
# algorithms and fusions), possibly in threads of its own.
COMPILERS = {
    "jax._src.compiler": ["backend_compile", "backend_compile_and_load"],
}


# By module, the functions that return the options of a compiler (XLA).
COMPILER_OPTIONS = {
    "jax._src.compiler": ["get_compile_options"],
}
# Methods of Triton whose results are stored for later runs.
REMEMBERED = ("_bench",)
# XLA's option for the folder in which it stores its tuning results.
TUNED_BY_XLA = "xla_gpu_per_fusion_autotune_cache_dir"
# Turns CUDA graphs off, so that kernels are launched one by one (JAX does the same to profile).
WITHOUT_GRAPHS = ("xla_gpu_enable_command_buffer", "")


class Times:
    """Triton's measurements of each candidate: one line of JSON each, in one file per rank."""

    def __init__(self, folder, tuned):
        import os

        rank = os.environ.get("RANK", "0")
        self.file = os.path.join(folder, f"triton-{rank if rank.isdigit() else 0}") if folder else ""
        self.tuned = tuned
        self.known = None

    def read(self):
        import json

        known = {}
        if self.file and self.tuned:
            try:
                with open(self.file, encoding="utf-8") as lines:
                    for line in lines:
                        key, times = json.loads(line)
                        known[key] = times
            except (OSError, ValueError, TypeError):
                pass  # use the lines read so far
        return known

    @staticmethod
    def key(tuner, config, meta):
        """A key for the kernel, the candidate and the arguments that the choice depends on.

            None if this version of Triton is different."""
        try:
            arguments = {**tuner.nargs, **meta}
            types = [str(value.dtype) for value in tuner.nargs.values() if hasattr(value, "dtype")]
            kernel = tuner.base_fn
            return repr((kernel.__module__, kernel.__qualname__, types, config.all_kwargs(),
                         [arguments.get(name) for name in tuner.keys]))
        except Exception:
            return None

    def of(self, key):
        if self.known is None:
            self.known = self.read()
        times = self.known.get(key)
        return list(times) if times is not None else None

    def keep(self, key, times):
        import json

        if not self.file or self.tuned or not isinstance(times, (list, tuple)):
            return
        if all(type(time) is float for time in times):
            with open(self.file, "a", encoding="utf-8") as lines:
                lines.write(json.dumps([key, list(times)]) + "\n")


def install(begin, end, begin_compiler, end_compiler, command_buffers_off, tuning):
    import functools
    import os

    folder, tuned = tuning()
    times = Times(folder, bool(tuned))

    def marked(function, begin=begin, end=end):
        @functools.wraps(function)
        def within(*args, **kwargs):
            try:
                begin()
                return function(*args, **kwargs)
            finally:
                end()

        return within

    def remembered(function):
        @functools.wraps(function)
        def within(tuner, *args, **kwargs):
            key = Times.key(tuner, kwargs.get("config"), kwargs)
            known = times.of(key) if key else None
            if known is not None:
                return known
            measured = function(tuner, *args, **kwargs)
            try:
                if key:
                    times.keep(key, measured)
            except OSError:
                pass
            return measured

        return within

    def with_options(function):
        @functools.wraps(function)
        def within(*args, **kwargs):
            options = function(*args, **kwargs)
            if command_buffers_off():
                options.env_option_overrides = [*options.env_option_overrides, WITHOUT_GRAPHS]
            try:
                debug = options.executable_build_options.debug_options
                # If the program chose a folder, keep it.
                if folder and not getattr(debug, TUNED_BY_XLA):
                    setattr(debug, TUNED_BY_XLA, os.path.join(folder, "xla"))
            except Exception:
                pass  # a different version of JAX
            return options

        return within

    def mark(module):
        for name in COMPILER_OPTIONS.get(module.__name__, ()):
            if callable(getattr(module, name, None)):
                setattr(module, name, with_options(getattr(module, name)))
        for name in COMPILERS.get(module.__name__, ()):
            if callable(getattr(module, name, None)):
                setattr(module, name, marked(getattr(module, name), begin_compiler, end_compiler))
        for class_name, methods in TIMING_METHODS.get(module.__name__, {}).items():
            owner = getattr(module, class_name, None)
            for method in methods if isinstance(owner, type) else ():
                found = owner.__dict__.get(method)
                if isinstance(found, (classmethod, staticmethod)):
                    setattr(owner, method, type(found)(marked(found.__func__)))
                elif callable(found):
                    once = remembered(found) if method in REMEMBERED else found
                    setattr(owner, method, marked(once))

    when_loaded({**TIMING_METHODS, **COMPILERS}, mark)  # noqa: F821 (loaded.py)


try:
    install(begin, end, begin_compiler, end_compiler, command_buffers_off, tuning)  # noqa: F821 (given)
except Exception:
    pass  # the program runs on; its launches are not marked
