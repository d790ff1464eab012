# SPDX-License-Identifier: Apache-2.0
"""What the executable does for the package: sample, starting Python commands, finding libcupti."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import roofscope


def _run(program: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ROOFSCOPE", "CUDA"))}
    clean |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | environment
    return subprocess.run(
        [str(program), *words], capture_output=True, text=True, env=clean, check=False
    )


def test_sample_is_a_profile_without_a_file() -> None:
    done = _run(roofscope.executable(), "report", "sample", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    assert "NVIDIA H100" in done.stdout
    assert roofscope.open("sample").kernels
    # A PyTorch step, with copies, waits and the lines that launch.
    program = roofscope.open("sample").program
    assert program is not None
    assert program.shares["copies"] and program.shares["idle_sync"]
    assert any("torch_copies.py:" in site for action in program.actions for site in action.sites)


def test_a_file_named_sample_comes_first(tmp_path: Path) -> None:
    (tmp_path / "sample").write_text("no profile")
    command = [str(roofscope.executable()), "report", "sample"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 65


def test_the_executable_hands_over_to_python() -> None:
    shown = _run(roofscope.executable(), "show", "program", "sample")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("# Program")
    agent = _run(roofscope.executable(), "report", "--for-agent", "sample")
    assert agent.stdout == shown.stdout
    refused = _run(roofscope.executable(), "report", "--for-agent", "--format=csv", "sample")
    assert refused.returncode == 64


def test_a_closed_pipe_is_no_error() -> None:
    for words in (["report", "sample", "--format", "json"], ["show", "program", "sample"]):
        with subprocess.Popen(
            [sys.executable, "-m", "roofscope", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.close()  # as "| head" does
            assert process.stderr.read() == b""


def test_a_wheel_speaks_of_wheels(tmp_path: Path) -> None:
    program = tmp_path / "_native/bin/roofscope"
    program.parent.mkdir(parents=True)
    shutil.copy(roofscope.executable(), program)
    done = _run(program, "view", "app.roofscope.json", PATH="/usr/bin:/bin")
    assert done.returncode == 69
    assert "the wheel has no window" in done.stderr
    assert "--out report.html" in done.stderr
    assert "build" not in done.stderr


def _real_cupti() -> Path | None:
    for folder in (
        "/usr/local/cuda/lib64",
        "/usr/local/cuda-13.0/lib64",
        "/usr/local/cuda/extras/CUPTI/lib64",
    ):
        if (Path(folder) / "libcupti.so.13").exists():
            return Path(folder)
    return None


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site-packages folder as pip makes it, with roofscope and NVIDIA's libcupti packages."""
    real = _real_cupti()
    if real is None:
        pytest.skip("no libcupti 13 on this machine")
    site = tmp_path / "venv/lib/python3.11/site-packages"
    shutil.copytree(roofscope.executable().parents[1] / "bin", site / "roofscope/_native/bin")
    libraries = site / "nvidia/cu13/lib"
    libraries.mkdir(parents=True)
    for name in ("libcupti.so.13", "libnvperf_host.so", "libnvperf_target.so"):
        if (real / name).exists():
            shutil.copy((real / name).resolve(), libraries / name)
    return site


def test_libcupti_of_the_same_environment_comes_first(site: Path) -> None:
    done = _run(site / "roofscope/_native/bin/roofscope", "doctor")
    assert f"CUPTI library       {site}/nvidia/cu13/lib/libcupti.so.13" in done.stdout


def test_libcupti_of_the_active_environment(site: Path) -> None:
    done = _run(roofscope.executable(), "doctor", VIRTUAL_ENV=str(site.parents[2]))
    assert f"CUPTI library       {site}/nvidia/cu13/lib/libcupti.so.13" in done.stdout


def test_an_incomplete_libcupti_is_passed_over(site: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    old = site / "nvidia/cu13/lib/libcupti.so.13"
    old.unlink()
    source = site / "old.c"
    source.write_text("int cuptiGetVersion(unsigned *v) { *v = 1; return 0; }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(old), str(source)], check=True)
    done = _run(site / "roofscope/_native/bin/roofscope", "doctor")
    assert "CUPTI library" in done.stdout
    assert str(old) not in done.stdout.split("CUPTI library")[1].splitlines()[0]
