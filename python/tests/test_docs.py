# SPDX-License-Identifier: Apache-2.0
"""The transcripts in the documentation match what the commands print."""

import doctest
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


def _transcripts(page: str) -> list[tuple[str, str]]:
    """Command lines with their output, from blocks that begin with "$ roofscope"."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(\$ roofscope .*?)^```$", text, re.S | re.M)
    steps = [step for block in blocks for step in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [(command, output) for command, _, output in (step.partition("\n") for step in steps)]


def test_assistants_see_what_the_page_shows(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sample in samples.glob("*.gz"):
        (tmp_path / sample.name).symlink_to(sample)
    monkeypatch.chdir(tmp_path)
    found = _transcripts("assistants.md")
    assert len(found) == 4
    for command, output in found:
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)],
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert done.stdout == output, command


def test_python_answers_what_the_page_shows() -> None:
    import roofscope

    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    block = next(b for b in re.findall(r"^```python\n(.*?)^```$", text, re.S | re.M) if ">>>" in b)
    test = doctest.DocTestParser().get_doctest(
        block,
        {},
        "python.md",
        None,
        0,  # type: ignore
    )
    said = io.StringIO()
    result = doctest.DocTestRunner().run(test, out=said.write)
    assert roofscope and result.attempted > 5 and result.failed == 0, said.getvalue()
