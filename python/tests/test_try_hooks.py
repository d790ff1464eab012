# SPDX-License-Identifier: Apache-2.0
"""Each trial of `roofscope try` changes what it says in the program, and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from roofscope import _trials
from roofscope._try_run import Run, Runner

FAKE_TORCH = ROOT / "python/tests/fake_torch"
TRIALS = {trial.name: trial for trial in _trials.trials()}

#: Uses all that trials change, and prints it.
PROGRAM = """
import gc, json, os, sys
import torch

class Inner(torch.nn.Module):
    def forward(self, x):
        seen.update(autocast=torch.is_autocast_enabled(), input=x.layout)
        return torch.Tensor(dtype=torch.bfloat16 if seen["autocast"] else torch.float32)

seen = {}
inner = torch.nn.Conv2d(Inner())
model = torch.nn.Module(inner)
optimizer = torch.optim.AdamW(model.parameters())
loader = torch.utils.data.DataLoader(range(8), 4)
for batch, in loader:
    batch.to("cuda")
    out = model(batch)
    optimizer.step()
torch.Tensor(pinned=True).to("cuda")  # no batch: its memory may be written again
print(json.dumps({
    **seen,
    "output": out.dtype,
    "precision": torch.get_float32_matmul_precision(),
    "benchmark": torch.backends.cudnn.benchmark,
    "fused": optimizer.param_groups[0]["fused"],
    "pinned": loader.pin_memory,
    "workers": loader.num_workers > 0,
    "non_blocking": torch.Tensor.copies[0],
    "last copy": torch.Tensor.copies[-1],
    "compiled": model.compiled,
    "inner compiled": inner.compiled,
    "layout": model.layout,
    "gc": gc.isenabled(),
    "variables": {name: os.environ[name] for name in sorted(os.environ)
                  if name.startswith(("JAX", "XLA", "CUDA", "PYTORCH"))},
}))
"""

#: What each trial changes in what the program prints.
CHANGES: dict[str, dict] = {
    "tf32": {"precision": "high"},
    "bf16": {"autocast": True},
    "channels-last": {"layout": "nhwc", "input": "nhwc"},
    "fused-optimizer": {"fused": True},
    "cudnn-benchmark": {"benchmark": True},
    "loader": {"pinned": True, "workers": True, "non_blocking": True},
    "compile": {"compiled": "default"},
    "compile-graphs": {"compiled": "reduce-overhead"},
    "gc-off": {"gc": False},
    "expandable-segments": {
        "variables": {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"},
    },
    "jax-tf32": {"variables": {"JAX_DEFAULT_MATMUL_PRECISION": "tensorfloat32"}},
    "jax-bf16": {"variables": {"JAX_DEFAULT_MATMUL_PRECISION": "BF16_BF16_F32"}},
    "jax-memory": {
        "variables": {
            "XLA_PYTHON_CLIENT_ALLOCATOR": "default",
            "XLA_PYTHON_CLIENT_MEM_FRACTION": ".92",
            "XLA_PYTHON_CLIENT_PREALLOCATE": "true",
        },
    },
    "eager-loading": {"variables": {"CUDA_MODULE_LOADING": "EAGER"}},
    "connections": {"variables": {"CUDA_DEVICE_MAX_CONNECTIONS": "32"}},
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("JAX", "XLA", "CUDA", "PYTORCH")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", str(FAKE_TORCH))


def _run(text: str, tmp_path: Path, trial: str | None = None, limit: float = 60) -> Run:
    program = tmp_path / "program.py"
    program.write_text(text)
    with Runner([sys.executable, str(program)]) as runner:
        run = runner.run(TRIALS[trial] if trial else None, limit)
    assert run.code == 0, run.output
    return run


def _said(run: Run) -> dict:
    return json.loads(run.output.splitlines()[0])


def test_every_trial_has_its_case() -> None:
    assert set(CHANGES) == set(TRIALS)


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_trial_changes_only_what_it_says(name: str, tmp_path: Path) -> None:
    plain, tried = _run(PROGRAM, tmp_path), _run(PROGRAM, tmp_path, name)
    before, after = _said(plain), _said(tried)
    # torch.compile writes to a temporary folder.
    caches = [v for n, v in after["variables"].items() if n.startswith(("TORCHIND", "TRITON"))]
    assert not any(Path(cache).exists() for cache in caches)
    assert {k: v for k, v in after.items() if v != before[k]} == CHANGES[name]
    report = next(iter(tried.reports))
    assert report["problems"] == []
    if TRIALS[name].framework == "torch" and TRIALS[name].file:
        assert report["changed"] > 0
        assert report["lasting"] in (None, True)
    assert plain.reports[0]["changed"] == 0


def test_facts_name_what_makes_a_trial_needless(tmp_path: Path) -> None:
    facts = _run(PROGRAM, tmp_path).facts
    for trial in TRIALS.values():
        if trial.name != "expandable-segments":  # the fake has no GPU
            assert trial.condition(facts) is None, trial.name
    done = _run(
        "import torch\n"
        "torch.set_float32_matmul_precision('high')\n"
        "torch.backends.cudnn.benchmark = True\n"
        "model = torch.nn.Module()\n"
        "torch.utils.data.DataLoader([1], num_workers=2, pin_memory=True)\n"
        "optimizer = torch.optim.SGD(model.parameters(), fused=True)\n"
        "for _ in range(9): model(torch.Tensor()); optimizer.step()\n",
        tmp_path,
    ).facts
    needless = {t.name for t in TRIALS.values() if t.condition(done) is not None}
    assert needless == {
        "tf32", "cudnn-benchmark", "loader", "fused-optimizer", "channels-last",
        "expandable-segments",
    }  # fmt: skip


def test_steps_are_timed(tmp_path: Path) -> None:
    slow = (
        "import time, torch\nmodel = torch.nn.Module()\n{make}"
        "for step in range(20):\n    time.sleep(0.1 if step < 3 else 0.02)\n    {call}\n"
    )
    make = "optimizer = torch.optim.SGD(model.parameters())\n"
    run = _run(slow.format(make=make, call="optimizer.step()"), tmp_path)
    assert run.steps is not None
    assert (run.steps["what"], run.steps["count"]) == ("SGD.step()", 20)
    assert 0.02 <= run.steps["seconds"] < 0.06  # without the slow first ones
    called = _run(slow.format(make="", call="model(1)"), tmp_path).steps
    assert called is not None
    assert called["what"] == "Module()"
    assert _run("import torch\n", tmp_path).steps is None


def test_steps_are_timed_by_the_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_PEAK_BYTES", "1")  # there is a GPU
    text = (
        "import time, torch\nmodel = torch.nn.Module()\n"
        "for step in range({steps}):\n    time.sleep(0.01)\n    model(1)\n"
    )
    steps = _run(text.format(steps=12), tmp_path).steps
    assert steps is not None
    assert steps["clock"] == "gpu"
    assert 0.02 <= steps["seconds"] < 0.04
    assert _run(text.format(steps=5), tmp_path).steps is None


def test_thousands_of_steps_are_thinned(tmp_path: Path) -> None:
    text = (
        "import time, torch\nmodel = torch.nn.Module()\n"
        "end = time.perf_counter()\n"
        "for step in range(20000):\n"
        "    end += 50e-6\n"
        "    while time.perf_counter() < end: pass\n"
        "    model(1)\n"
    )
    steps = _run(text, tmp_path).steps
    assert steps is not None
    assert steps["count"] == 20000
    assert 45e-6 < steps["seconds"] < 60e-6


def test_peak_memory_is_missing_where_no_gpu_was_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _run("import torch\n", tmp_path).peak_bytes is None
    monkeypatch.setenv("FAKE_PEAK_BYTES", "12345")
    assert _run("import torch\n", tmp_path).peak_bytes == 12345
    monkeypatch.setenv("FAKE_PEAK_BYTES", "0")
    assert _run("import torch\n", tmp_path).peak_bytes is None


def test_an_optimiser_that_cannot_be_fused_is_made_as_before(tmp_path: Path) -> None:
    text = (
        "import torch\nmodel = torch.nn.Module()\nmodel.weight.dtype = 'float64'\n"
        "optimizer = torch.optim.AdamW(model.parameters())\n"
        "print(optimizer.param_groups[0]['fused'], len(optimizer.param_groups[0]['params']))\n"
    )
    run = _run(text, tmp_path, "fused-optimizer")
    assert run.output.splitlines()[0] == "None 1"
    assert run.reports[0]["changed"] == 0
    assert "requires float32" in run.reports[0]["problems"][0]


def test_an_iterable_dataset_gets_no_workers(tmp_path: Path) -> None:
    text = (
        "import torch\nclass Data(torch.utils.data.IterableDataset): pass\n"
        "loader = torch.utils.data.DataLoader(Data())\n"
        "print(loader.num_workers, loader.pin_memory)\n"
    )
    assert _run(text, tmp_path, "loader").output.splitlines()[0] == "0 True"


def test_what_the_program_sets_itself_is_noticed(tmp_path: Path) -> None:
    text = "import torch\ntorch.set_float32_matmul_precision('highest')\n"
    assert _run(text, tmp_path, "tf32").reports[0]["lasting"] is False


def test_a_fault_of_the_hook_does_not_reach_the_program(tmp_path: Path) -> None:
    broken = tmp_path / "torch"
    broken.mkdir()
    (broken / "__init__.py").write_text("answer = 42\n")
    run = _run("import torch\nprint(torch.answer)\n", tmp_path, "tf32")
    assert run.output.splitlines()[0] == "42"
    assert any("set_float32_matmul_precision" in p for p in run.reports[0]["problems"])


def test_a_child_process_gets_the_hook(tmp_path: Path) -> None:
    text = (
        "import subprocess, sys\n"
        "child = 'import torch; print(torch.get_float32_matmul_precision())'\n"
        "subprocess.run([sys.executable, '-c', child], check=True)\n"
    )
    run = _run(text, tmp_path, "tf32")
    assert run.output.splitlines()[0] == "high"
    assert len(run.reports) == 1


def test_the_users_sitecustomize_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import builtins\nbuiltins.own = __file__\n")
    monkeypatch.setenv("PYTHONPATH", f"{own}{os.pathsep}{FAKE_TORCH}")
    text = (
        "import sys, torch, sitecustomize\n"
        "print(own == sitecustomize.__file__, torch.get_float32_matmul_precision())\n"
        "print([folder for folder in sys.path if folder.endswith('/hook')])\n"
    )
    lines = _run(text, tmp_path, "tf32").output.splitlines()
    assert lines[:2] == ["True high", "[]"]
    # An error of the program is shown as without the hook.
    (own / "sitecustomize.py").write_text("raise RuntimeError('own fault')\n")
    program = tmp_path / "program.py"
    program.write_text("import torch\nprint(torch.get_float32_matmul_precision())\n")
    alone = subprocess.run(
        [sys.executable, str(program)], capture_output=True, encoding="utf-8", check=True
    )
    with Runner([sys.executable, str(program)]) as runner:
        run = runner.run(TRIALS["tf32"], 60)
    assert run.output == "high\n\n" + alone.stderr


def test_the_import_leaves_no_trace(tmp_path: Path) -> None:
    text = (
        "import torch, importlib, inspect\n"
        "print('exec_module' in vars(torch.__loader__), inspect.getsource(torch)[:10])\n"
        "print(importlib.util.find_spec('torch') is torch.__spec__)\n"
    )
    lines = _run(text, tmp_path).output.splitlines()
    assert lines[:2] == ["False # SPDX-Lic", "True"]


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    package = Path(_trials.__file__).parent
    before = {p for p in package.rglob("*") if "__pycache__" not in p.parts}
    hook_caches = set((package / "hook").rglob("*.pyc"))
    _run(PROGRAM, tmp_path, "compile")
    assert list(temporary.iterdir()) == []
    assert {p for p in package.rglob("*") if "__pycache__" not in p.parts} == before
    assert set((package / "hook").rglob("*.pyc")) == hook_caches
    assert [p.name for p in tmp_path.iterdir() if p != temporary] == ["program.py"]


def test_users_settings_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64")
    said = _said(_run(PROGRAM, tmp_path, "expandable-segments"))
    wanted = "max_split_size_mb:64,expandable_segments:True"
    assert said["variables"]["PYTORCH_CUDA_ALLOC_CONF"] == wanted


@pytest.mark.parametrize(
    "file",
    [*_trials.hook_files(), *(t.file for t in TRIALS.values() if t.file)],
    ids=lambda file: file.stem,
)
def test_the_programs_python_may_be_old(file: Path) -> None:
    import ast

    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 8))
    roots = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    roots += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    assert {str(root).partition(".")[0] for root in roots} <= set(sys.stdlib_module_names)


def test_rules_of_trials_exist() -> None:
    from roofscope._executable import run

    # A line of the list, or a row of the table of actions.
    known = {line.split()[0] for line in run("rules", "list").stdout.splitlines() if line.strip()}
    page = (ROOT / "docs/program.md").read_text(encoding="utf-8")
    for trial in TRIALS.values():
        for rule in {*trial.suggested_by, *trial.settles}:
            assert rule in known or f"| `{rule}" in page, rule
        assert set(trial.settles) <= set(trial.suggested_by), trial.name
