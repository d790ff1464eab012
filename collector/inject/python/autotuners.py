# SPDX-License-Identifier: Apache-2.0
"""Run by libroofscope_inject.so inside the profiled Python process (python_hooks.cpp), which
provides begin(), end() and both for compilers, which launch in threads of their own: marks what
Triton, PyTorch's Inductor and XLA launch while they try out configurations. Functions that time
candidates are wrapped, in modules that are loaded and in those that will be. Whatever differs from what is expected here stays as it is."""

# Of each module, by class, the methods in which candidates are launched. They differ between
# versions: one that is missing is left out.
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

# Of each module, the functions in which a compiler chooses among kernels by launching them (XLA's
# GEMM algorithms and fusions), in threads that it may have started itself.
COMPILERS = {
    "jax._src.compiler": ["backend_compile", "backend_compile_and_load"],
}


# Of each module, the functions that say how a compiler is to compile: XLA's options.
COMPILER_OPTIONS = {
    "jax._src.compiler": ["get_compile_options"],
}
# No CUDA graphs: each kernel is launched by itself (JAX says it in the same way where it profiles).
WITHOUT_GRAPHS = ("xla_gpu_enable_command_buffer", "")


def install(begin, end, begin_compiler, end_compiler, command_buffers_off):
    import functools

    def marked(function, begin=begin, end=end):
        @functools.wraps(function)
        def within(*args, **kwargs):
            try:
                begin()
                return function(*args, **kwargs)
            finally:
                end()

        return within

    def without_graphs(function):
        @functools.wraps(function)
        def within(*args, **kwargs):
            options = function(*args, **kwargs)
            if command_buffers_off():
                options.env_option_overrides = [*options.env_option_overrides, WITHOUT_GRAPHS]
            return options

        return within

    def mark(module):
        for name in COMPILER_OPTIONS.get(module.__name__, ()):
            if callable(getattr(module, name, None)):
                setattr(module, name, without_graphs(getattr(module, name)))
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
                    setattr(owner, method, marked(found))

    when_loaded({**TIMING_METHODS, **COMPILERS}, mark)  # noqa: F821 (loaded.py)


try:
    install(begin, end, begin_compiler, end_compiler, command_buffers_off)  # noqa: F821 (given)
except Exception:
    pass  # the program runs on, its launches unmarked
