# SPDX-License-Identifier: Apache-2.0
"""Shell completion knows the options of the commands written in Python."""

import re
import subprocess
import sys

import pytest

from roofscope import _assistants, _ci, _trials
from roofscope._executable import run


def test_completion_has_the_words_of() -> None:
    script = run("completion", "bash").stdout
    offered = dict(re.findall(r'^ +"?([a-z -]+?)"?\) words="(.*)" ;;$', script, re.M))
    assert {"show", "undo"} <= set(offered["loop"].split())
    assert {trial.name for trial in _trials.trials()} <= set(offered["try"].split())
    assert {"init", "comment"} <= set(offered["ci"].split())
    assert set(offered["setup --for"].split()) == set(_assistants.NAMES)
    parsers = _ci._parsers()[1]
    for name, parser in parsers.items():
        known = {option for option in parser._option_string_actions if option.startswith("--")}
        assert set(offered[f"ci {name}"].split()) == known
    choices = parsers["init"]._option_string_actions
    for option in ("--cuda", "--for"):
        assert offered[f"ci init {option}"].split() == list(choices[option].choices or ())
    assert {"report", "loop"} <= set(offered["help"].split())


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
    options = {word for word in words[1].split() if word.startswith("-")}
    assert options == set(re.findall(r"--[a-z-]+", " ".join(lines)))
    assert "Example: roofscope " + command in " ".join(told.split())
