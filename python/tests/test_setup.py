# SPDX-License-Identifier: Apache-2.0
import io
from pathlib import Path

import pytest

from roofscope import _setup
from roofscope._executable import RoofscopeError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def _files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def test_nothing_without_an_assistant(home: Path, capsys: pytest.CaptureFixture) -> None:
    assert _setup.main(["--yes"]) == 0
    assert _files(home) == set()
    assert "Nothing to do" in capsys.readouterr().out


def test_dry_run_writes_nothing(home: Path, capsys: pytest.CaptureFixture) -> None:
    (home / ".claude").mkdir()
    assert _setup.main(["--dry-run"]) == 0
    assert _files(home) == set()
    said = capsys.readouterr().out
    assert "new " in said and "one edit at a time" in said


def test_install_update_remove(home: Path) -> None:
    other = home / ".claude/skills/other/SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("mine")
    skill = home / ".claude/skills/roofscope/SKILL.md"
    assert _setup.main(["--yes"]) == 0
    assert skill.read_text() == _setup.skill_text()
    skill.write_text("---\nname: roofscope\n---\nold")
    assert [c.what for c in _setup.plan(home, False)] == ["update"]
    assert _setup.main(["--yes"]) == 0
    assert skill.read_text() == _setup.skill_text()
    assert _setup.main(["--remove", "--yes"]) == 0
    assert _files(home) == {".claude/skills/other/SKILL.md"}
    assert not skill.parent.exists()


def test_foreign_files_and_links_are_left(home: Path, tmp_path: Path) -> None:
    skill = home / ".codex/skills/roofscope/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("somebody else's")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / ".gemini").mkdir()
    (home / ".gemini/skills").symlink_to(elsewhere)
    assert _setup.main(["--yes"]) == 0
    assert _setup.main(["--remove", "--yes"]) == 0
    assert skill.read_text() == "somebody else's"
    assert list(elsewhere.iterdir()) == []


def test_without_a_terminal_it_asks_for_yes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".claude").mkdir()
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(RoofscopeError):
        _setup.main([])
    assert _files(home) == set()
