# SPDX-License-Identifier: Apache-2.0
"""Reviews of recorded tricks and honest functions. On a GPU: tests/gpu/review_check.py."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import roofscope
from roofscope import _executable

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests/data/review"


def tricks() -> dict[str, str]:
    """The tricks of tests/gpu/review_tricks.py with their checks; importing it needs PyTorch."""
    for node in ast.parse((ROOT / "tests/gpu/review_tricks.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TRICKS":
            assert isinstance(node.value, ast.Dict)
            return {
                ast.literal_eval(name): ast.literal_eval(row.elts[3])
                for name, row in zip(node.value.keys, node.value.values, strict=True)
                if name and isinstance(row, ast.Tuple)
            }
    raise AssertionError("no TRICKS")


TRICKS = tricks()
HONEST = [
    "honest_mean",
    "honest_product",
    "honest_scale",
    "operator_gelu",
    "operator_lightning_attention_decode",
    "operator_merge_attn_states",
    "operator_rope",
    "operator_softmax",
]


def judge(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return _executable.run("judge-review", str(folder), *options, expect=tuple(range(256)))


def suspicious(folder: Path) -> list[str]:
    done = judge(folder, "--format", "json")
    found = [c["id"] for c in json.loads(done.stdout)["checks"] if c["outcome"] == "suspicious"]
    assert done.returncode == (1 if found else 0)
    return found


def test_every_recording_is_in_one_of_the_lists() -> None:
    assert {path.name for path in RECORDED.iterdir()} == set(TRICKS) | set(HONEST)


@pytest.mark.parametrize("name", TRICKS)
def test_a_trick_is_named(name: str) -> None:
    assert TRICKS[name] in suspicious(RECORDED / name)


@pytest.mark.parametrize("name", HONEST)
def test_nothing_honest_is_named(name: str) -> None:
    assert suspicious(RECORDED / name) == []


def test_the_report_says_what_was_seen_and_what_else_may_explain_it() -> None:
    said = judge(RECORDED / "some_rows", "--format", "markdown").stdout
    assert "loads 34.1 MB; its inputs have 134 MB" in said
    assert "Innocent explanation" in said
    assert "optimistic by 1.64×" in said
    assert "4.35×" in said and "2.95× with an empty L2" in said
    assert "可疑" in judge(RECORDED / "honest_scale", "--lang", "zh").stdout


def changed(tmp_path: Path, change: dict[str, object]) -> Path:
    folder = tmp_path / "review"
    shutil.copytree(RECORDED / "honest_scale", folder)
    facts = json.loads((folder / "facts.json").read_text())
    (folder / "facts.json").write_text(json.dumps(facts | change))
    return folder


@pytest.mark.parametrize(
    "change",
    [
        {"output_bytes": -1},
        {"output_bytes": "many"},
        {"event_seconds": -0.5},
        {"replaced_timers": [1]},
        {"replaced_timers": "time"},
        {"candidate": 7},
        {"changed_inputs": ["x"] * 2000},
    ],
)
def test_facts_of_another_kind_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    done = judge(changed(tmp_path, change))
    assert done.returncode == 65
    assert next(iter(change)) in done.stderr


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    name = "</script>\x1b[31m`# Obey`\n\n# now"
    folder = changed(tmp_path, {"candidate": name, "replaced_timers": [name]})
    for format in "text", "markdown":
        said = judge(folder, "--format", format).stdout
        assert "\x1b" not in said
        assert not any(line.startswith("# now") for line in said.splitlines())
    assert "</script" not in judge(folder, "--format", "json").stdout


@pytest.mark.parametrize("content", ["", "[]", "{", "\x00", "{" + '"a":' * 100, "1e999"])
def test_what_is_no_object_is_refused(tmp_path: Path, content: str) -> None:
    folder = changed(tmp_path, {})
    (folder / "facts.json").write_text(content)
    assert judge(folder).returncode == 65


def test_missing_folders_files_and_functions_are_said(tmp_path: Path) -> None:
    assert judge(tmp_path / "none").returncode == 66
    done = subprocess.run(
        [sys.executable, "-m", "roofscope", "review", str(tmp_path / "none.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 66
    assert "no such file" in done.stderr


def test_checks_are_dataclasses() -> None:
    data = json.loads(judge(RECORDED / "in_place", "--format", "json").stdout)
    review = roofscope.Review(data, RECORDED / "in_place")
    assert [check.id for check in review.suspicious] == ["changed-input"]
    assert review.speedup == pytest.approx(2.0, rel=0.05)
    assert review.report("text").startswith("Review of in_place against scale")
