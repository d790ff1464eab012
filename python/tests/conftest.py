# SPDX-License-Identifier: Apache-2.0
"""Sets up the executable to test and provides real recordings. Needs no GPU."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Without an installed wheel, test the source tree's package with the build's executable.
if "ROOFSCOPE_TEST_INSTALLED" not in os.environ:
    sys.path.insert(0, str(ROOT / "python"))
    os.environ["PYTHONPATH"] = str(ROOT / "python")

import roofscope

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder with the recordings."""
    return ROOT / "profile/samples"


@pytest.fixture(scope="session")
def bundled(samples: Path) -> roofscope.Profile:
    """65 kernels, including faulty ones and their repaired versions."""
    return roofscope.open(samples / "h200_bundled.roofscope.json.gz")


@pytest.fixture(scope="session")
def with_source(samples: Path) -> roofscope.Profile:
    """Three kernels with counters per instruction."""
    return roofscope.open(samples / "h200_source.roofscope.json.gz")
