# SPDX-License-Identifier: Apache-2.0
"""Shell completion knows the options of the commands written in Python."""

import re
import subprocess
import sys

import pytest

from roofscope._executable import run


@pytest.mark.parametrize("command", ["show", "loop", "try", "review", "mcp", "setup", "ci"])
def test_completion_has_the_options_of(command: str) -> None:
    words = re.search(rf'^ +{command}\) words="(.*)" ;;$', run("completion", "bash").stdout, re.M)
    told = subprocess.run(
        [sys.executable, "-m", "roofscope", command, "--help"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    assert words
    lines = [line for line in told.splitlines() if line.startswith("  -")]
    assert set(words[1].split()) == set(re.findall(r"--[a-z-]+", " ".join(lines)))
    assert "Example: roofscope " + command in " ".join(told.split())
