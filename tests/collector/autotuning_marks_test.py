# SPDX-License-Identifier: Apache-2.0
"""Launches of Triton's, Inductor's and XLA's autotuners are marked, and no others. Modules of the
same names and shapes stand in for the real ones (tests/gpu/torch_autotune.py runs those).
Usage: autotuning_marks_test.py libautotuning_marks.so"""
import ctypes
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

MARK = "roofscope:autotuning"
FAKES = {
    "triton/runtime/autotuner.py": """
import time
class Config:
    def __init__(self, block):
        self.block = block
    def all_kwargs(self):
        return {"BLOCK": self.block}
def kernel():
    pass
class Autotuner:
    base_fn, keys = kernel, ["size"]
    launches = 0
    def run(self, look):
        return [self._bench(look), look()]
    def _bench(self, look, fail=False, config=None):
        if fail:
            raise ValueError("this configuration does not fit")
        self.launches += 1
        return [time.perf_counter(), float("inf")] if config else look()
    def tune(self, size):
        self.nargs = {"size": size}
        return [self._bench(None, config=Config(block)) for block in (32, 64)]
""",
    "torch/_inductor/runtime/triton_heuristics.py": """
class CachingAutotuner:
    def bench(self, look):
        return look()
    def benchmark_all_configs(self, look):
        return [self.bench(look), look()]
""",
    "torch/_inductor/select_algorithm.py": """
class AlgorithmSelectorCache:
    @classmethod
    def benchmark_choices(cls, look):
        return cls.__name__, look()
    @staticmethod
    def benchmark_in_current_process(look):
        return look()
""",
    "jax/_src/compiler.py": """
class Debug:
    xla_gpu_per_fusion_autotune_cache_dir = ""
class Build:
    debug_options = Debug()
class Options:
    executable_build_options = Build()
    env_option_overrides = [("of the program", "")]
def get_compile_options():
    return Options()
def backend_compile_and_load(look):
    return look()
def compile_or_get_cached(look):
    return [backend_compile_and_load(look), look()]
""",
    # Another version, which has nothing that is looked for.
    "torch/_inductor/runtime/benchmarking.py": "InductorBenchmarker = None\n",
}

lib = ctypes.CDLL(sys.argv[1])
for function in (lib.path, lib.path_of_launch, lib.path_of_foreign_launch):
    function.restype = ctypes.c_char_p


def path():
    return lib.path().decode()


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FAKES.items():
            file = pathlib.Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            for package in file.relative_to(folder).parents:
                pathlib.Path(folder, package, "__init__.py").touch()
            file.write_text(text)
        sys.path.insert(0, folder)
        check(folder)
        tuned_before(folder)


def tuned_before(folder):
    """What a process found is what the next one chooses by, without a launch; another size is tuned anew."""
    with tempfile.TemporaryDirectory() as kept:
        def run(**more):
            done = subprocess.run([sys.executable, __file__, sys.argv[1], folder], check=True, text=True,
                                  stdout=subprocess.PIPE, env={**os.environ, "TUNING_FOLDER": kept, **more})
            return json.loads(done.stdout)

        first, again = run(), run(TUNED="1")
        assert first["launches"] == 4, first
        assert again == {**first, "launches": 0}, (first, again)
        assert first["xla"] == os.path.join(kept, "xla"), first
        os.remove(os.path.join(kept, "triton-0"))
        assert run(TUNED="1")["launches"] == 4


def tune():
    import jax._src.compiler
    import triton.runtime.autotuner as module

    lib.watch()
    for _ in range(1000):
        pass
    tuner = module.Autotuner()
    times = [tuner.tune(128), tuner.tune(256)]
    xla = jax._src.compiler.get_compile_options().executable_build_options.debug_options.xla_gpu_per_fusion_autotune_cache_dir
    return {"times": times, "launches": tuner.launches, "xla": xla}


def check(folder):
    import triton.runtime.autotuner as loaded_before

    class Rival:
        """Another import finder, which asks all others and does not know ours."""

        def find_spec(self, name, path=None, target=None):
            if not name.startswith("torch._inductor"):
                return None
            for finder in sys.meta_path:
                spec = None if finder is self else finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
            return None

    # Code with hardly any builtins, in which the interpreter must still run pending calls.
    exec("watch()\nfor _ in numbers: pass",
         {"__builtins__": {}, "watch": lib.watch, "numbers": range(1000)})
    sys.meta_path.insert(0, Rival())
    import torch._inductor.runtime.benchmarking
    import torch._inductor.runtime.triton_heuristics as loaded_after
    import torch._inductor.select_algorithm as selection

    tuner = loaded_before.Autotuner()
    assert tuner.run(path) == [MARK, ""], tuner.run(path)
    try:
        tuner._bench(path, fail=True)
        raise AssertionError("an exception of the program was swallowed")
    except ValueError:
        assert path() == "", path()

    caching = loaded_after.CachingAutotuner()
    assert caching.bench(path) == MARK
    assert caching.benchmark_all_configs(path) == [MARK + " > " + MARK, MARK]
    choose = selection.AlgorithmSelectorCache
    assert choose.benchmark_choices(path) == ("AlgorithmSelectorCache", MARK)
    assert choose.benchmark_in_current_process(path) == MARK
    assert path() == ""

    # XLA launches from its own threads while it compiles; Python's other threads do not compile.
    from jax._src.compiler import compile_or_get_cached, get_compile_options

    # While counters are read XLA uses no CUDA graphs, and the program's own options are kept.
    options = get_compile_options()
    assert options.executable_build_options.debug_options.xla_gpu_per_fusion_autotune_cache_dir == ""
    overrides = options.env_option_overrides
    assert overrides == [("of the program", ""), ("xla_gpu_enable_command_buffer", "")], overrides
    assert lib.buffers_off() == 1

    def look_around():
        launches = [path(), lib.path_of_foreign_launch().decode()]
        thread = threading.Thread(target=lambda: launches.append(lib.path_of_launch().decode()))
        thread.start()
        thread.join()
        return launches

    during, after = compile_or_get_cached(look_around)
    assert during == [MARK, MARK, ""], during
    assert after == ["", "", ""], after

    # Meanwhile other threads are not tuning.
    seen = []

    def look_elsewhere():
        thread = threading.Thread(target=lambda: seen.append(path()))
        thread.start()
        thread.join()

    tuner._bench(look_elsewhere)
    assert seen == [""], seen

    # The program sees its own modules.
    assert loaded_after.__file__.startswith(folder)
    assert type(loaded_after.__spec__.loader).__name__ == "SourceFileLoader"
    assert loaded_after.__spec__.loader is loaded_after.__loader__
    assert "return look()" in inspect.getsource(caching.bench)
    assert caching.bench.__name__ == "bench"
    try:
        import torch._inductor.missing  # noqa: F401
        raise AssertionError("found a module that is not there")
    except ModuleNotFoundError:
        pass
    print("OK")


if len(sys.argv) > 2:  # a process of tuned_before()
    sys.path.insert(0, sys.argv[2])
    print(json.dumps(tune()))
else:
    main()
