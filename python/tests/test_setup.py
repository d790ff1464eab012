# SPDX-License-Identifier: Apache-2.0
import io
import json
import stat
from pathlib import Path

import pytest

from roofscope import _assistants, _jsonc, _setup, _setup_texts
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
    assert skill.read_text() == _setup_texts.skill_text()
    skill.write_text("---\nname: roofscope\n---\nold")
    assert [c.what for c in _setup.plan(home, False) if c.what != "keep"] == ["update"]
    assert _setup.main(["--yes"]) == 0
    assert skill.read_text() == _setup_texts.skill_text()
    assert _setup.main(["--remove", "--yes"]) == 0
    assert _files(home) == {".claude/skills/other/SKILL.md"}
    assert not skill.parent.exists()


def test_only_an_absolute_path_is_registered(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    for folder in (project, project / "bin", tmp_path / "installed"):
        folder.mkdir()
        (folder / "roofscope").write_text("#!/bin/sh\n")
        (folder / "roofscope").chmod(0o755)
    monkeypatch.chdir(project)
    monkeypatch.setattr("sys.argv", ["__main__.py"])

    def command() -> str:
        for file in (home / ".claude.json", home / ".codex/config.toml"):
            file.unlink(missing_ok=True)
        assert _setup.main(["--yes", "--for", "claude", "--for", "codex"]) == 0
        known = json.loads((home / ".claude.json").read_text())["mcpServers"]["roofscope"]
        written = (home / ".codex/config.toml").read_text()
        assert f"command = {json.dumps(known['command'])}\n" in written
        return known["command"]

    monkeypatch.setenv("PATH", f".::bin:./bin:{tmp_path / 'installed'}")
    assert command() == str(tmp_path / "installed/roofscope")
    monkeypatch.setenv("PATH", ".::bin")
    monkeypatch.setattr(_setup, "executable", lambda: Path("bin/roofscope"))
    assert command() == str(project / "bin/roofscope")


def test_foreign_files_and_links_are_left(home: Path, tmp_path: Path) -> None:
    skill = home / ".codex/skills/roofscope/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("somebody else's")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / ".gemini").mkdir()
    (home / ".gemini/skills").symlink_to(elsewhere)
    assert _setup.main(["--yes"]) == 0
    assert list(elsewhere.iterdir()) == []
    assert _setup.main(["--remove", "--yes"]) == 0
    assert skill.read_text() == "somebody else's"


def test_without_a_terminal_it_asks_for_yes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".claude").mkdir()
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(RoofscopeError):
        _setup.main([])
    assert _files(home) == set()


_FOLDERS = (
    ".claude", ".codex", ".gemini", ".cursor", ".copilot", ".codeium/windsurf", ".config/zed",
    ".config/opencode",
)  # fmt: skip


def _content(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in _files(folder)}


def test_every_assistant_gets_the_server(home: Path) -> None:
    for name in _FOLDERS:
        (home / name).mkdir(parents=True)
    project = home / "project"
    project.mkdir()
    assert _setup.main(["--yes", "--root", str(project)]) == 0
    words = ["mcp", "--root", str(project)]
    for file, keys in (
        (".claude.json", ["mcpServers"]),
        (".gemini/settings.json", ["mcpServers"]),
        (".cursor/mcp.json", ["mcpServers"]),
        (".copilot/mcp-config.json", ["mcpServers"]),
        (".codeium/windsurf/mcp_config.json", ["mcpServers"]),
        (".config/zed/settings.json", ["context_servers"]),
    ):
        entry = _jsonc.member((home / file).read_text(), keys, "roofscope")
        assert Path(entry["command"]).name == "roofscope"
        assert Path(entry["command"]).is_absolute()
        assert entry["args"] == words
    entry = json.loads((home / ".config/opencode/opencode.json").read_text())["mcp"]["roofscope"]
    assert entry["command"][1:] == words
    tomllib = pytest.importorskip("tomllib")
    codex = tomllib.loads((home / ".codex/config.toml").read_text())
    assert codex["mcp_servers"]["roofscope"]["args"] == words
    for file in (".codex/AGENTS.md", ".config/opencode/AGENTS.md"):
        assert "one edit at a time" in (home / file).read_text()


def test_a_second_time_changes_nothing_and_remove_leaves_nothing(home: Path) -> None:
    for name in _FOLDERS:
        (home / name).mkdir(parents=True)
    assert _setup.main(["--yes", "--root", str(home)]) == 0
    first = _content(home)
    for again in (["--yes", "--root", str(home)], ["--yes"]):
        assert _setup.main(again) == 0
        assert _content(home) == first
    assert _setup.main(["--yes", "--remove"]) == 0
    assert _files(home) == set()


def test_a_project_has_files_to_share(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    every = [word for name in _assistants.NAMES for word in ("--for", name)]
    assert _setup.main(["--yes", "--project", *every]) == 0
    assert json.loads((home / ".mcp.json").read_text()) == {
        "mcpServers": {"roofscope": {"command": "roofscope", "args": ["mcp"]}}
    }
    workspace = ["mcp", "--root", "${workspaceFolder}"]
    editor = json.loads((home / ".vscode/mcp.json").read_text())["servers"]["roofscope"]
    assert editor == {"type": "stdio", "command": "roofscope", "args": workspace}
    assert (home / "AGENTS.md").read_text().count("## roofscope") == 1
    first = _content(home)
    assert _setup.main(["--yes", "--project"]) == 0  # finds them all by what it wrote
    assert _content(home) == first
    assert _setup.main(["--yes", "--project", "--remove"]) == 0
    assert _files(home) == set()


_SETTINGS = """{
  // my theme
  "theme": "One Dark", /* and */
  "context_servers": {
    "mine": { "command": "x", "args": ["//no", "}"], }, // keep
  },
}
"""


def test_the_users_settings_stay(home: Path) -> None:
    zed, codex = home / ".config/zed/settings.json", home / ".codex/config.toml"
    for path, text in ((zed, _SETTINGS), (codex, 'model = "x"\n\n[mcp_servers.mine]\na = 1\n')):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o600)
    before = _content(home)
    assert _setup.main(["--yes", "--root", str(home)]) == 0
    for path in (zed, codex):
        name = str(path.relative_to(home))
        after = path.read_text()
        assert all(line in after.splitlines() for line in before[name].splitlines())
        assert "roofscope" in after
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert _jsonc.member(zed.read_text(), ["context_servers"], "mine")["args"] == ["//no", "}"]
    assert _setup.main(["--yes", "--remove"]) == 0
    assert codex.read_text() == before[".codex/config.toml"]
    assert _jsonc.parse(zed.read_text()) == _jsonc.parse(_SETTINGS)
    assert "// my theme" in zed.read_text() and "// keep" in zed.read_text()


@pytest.mark.parametrize("text", ["[", '{"context_servers": 1}', "{}}", "\x00", '{"a" "b"}'])
def test_settings_that_cannot_be_read_stay(
    home: Path, capsys: pytest.CaptureFixture, text: str
) -> None:
    path = home / ".config/zed/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert _setup.main(["--yes", "--root", str(home)]) == 0
    assert path.read_text() == text
    assert f"skip     {path}" in capsys.readouterr().out


def test_what_the_user_edited_is_kept(home: Path, capsys: pytest.CaptureFixture) -> None:
    for name in (".claude", ".codex", ".cursor"):
        (home / name).mkdir()
    assert _setup.main(["--yes", "--root", str(home)]) == 0
    edits = {
        ".claude/skills/roofscope/SKILL.md": ("Work in this loop", "Work as I say"),
        ".claude.json": ('"mcp",', '"mcp", "--allow", "torchrun",'),
        ".codex/config.toml": ('"mcp",', '"mcp", "--allow=-m",'),
        ".codex/AGENTS.md": ("Work in this loop", "Work as I say"),
        ".cursor/mcp.json": ('"mcp",', '"mcp", "--time-limit", "60",'),
    }
    for name, (old, new) in edits.items():
        text = (home / name).read_text()
        assert old in text, name
        (home / name).write_text(text.replace(old, new))
    before = _content(home)
    for again in (["--yes"], ["--yes", "--root", "/tmp"], ["--yes", "--remove"]):
        capsys.readouterr()
        assert _setup.main(again) == 0
        said = capsys.readouterr().out
        for name in edits:
            assert (home / name).read_text() == before[name]
            if name != ".cursor/mcp.json" or "--root" in again or "--remove" in again:
                assert f"skip     {home / name} (you edited" in said


def test_text_around_the_section_stays(home: Path) -> None:
    file = home / ".codex/AGENTS.md"
    file.parent.mkdir()
    file.write_text("# Mine\n\nBe short.\n")
    assert _setup.main(["--yes"]) == 0
    file.write_text(file.read_text() + "\n# More of mine\n")
    assert _setup.main(["--yes"]) == 0
    text = file.read_text()
    assert text.startswith("# Mine\n\nBe short.\n\n<!--") and text.endswith("# More of mine\n")
    # A newer roofscope has another text.
    body = _setup_texts.source().replace("Work in this loop", "Work in that loop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_setup_texts, "source", lambda: body)
        assert _setup.main(["--yes"]) == 0
    assert "Work in that loop" in file.read_text()
    assert (
        file.read_text().replace("that loop", "this loop").split("<!--")[0]
        == "# Mine\n\nBe short.\n\n"
    )
    assert _setup.main(["--yes", "--remove"]) == 0
    assert file.read_text() == "# Mine\n\nBe short.\n\n# More of mine\n"
    file.write_text(f"{_setup_texts.BEGIN}\nno end\n")
    assert _setup.main(["--yes"]) == 0
    assert file.read_text() == f"{_setup_texts.BEGIN}\nno end\n"


def test_dry_run_shows_what_would_change(home: Path, capsys: pytest.CaptureFixture) -> None:
    path = home / ".config/zed/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(_SETTINGS)
    (home / ".codex").mkdir()
    assert _setup.main(["--dry-run", "--root", "/tmp"]) == 0
    said = capsys.readouterr().out
    assert '+    "roofscope": {' in said
    assert "-" + _SETTINGS.splitlines()[1] not in said
    assert "[mcp_servers.roofscope]" in said
    assert _content(home) == {".config/zed/settings.json": _SETTINGS}


@pytest.mark.parametrize("more", ["env = {}\n", "\n[mcp_servers.roofscope.env]\nA = 'b'\n"])
def test_a_table_with_more_is_the_users(home: Path, more: str) -> None:
    (home / ".codex").mkdir()
    assert _setup.main(["--yes"]) == 0
    config = home / ".codex/config.toml"
    config.write_text(config.read_text() + more)
    before = config.read_text()
    for again in (["--yes", "--root", "/tmp"], ["--yes", "--remove"]):
        assert _setup.main(again) == 0
        assert config.read_text() == before


def test_without_a_folder_an_editor_gets_no_server(
    home: Path, capsys: pytest.CaptureFixture
) -> None:
    (home / ".codeium/windsurf").mkdir(parents=True)
    assert _setup.main(["--yes"]) == 0
    assert _files(home) == set()
    assert "give --root FOLDER" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["", "{}", "{\n  // c\n}\n", '{"a": 1}', '{\n\t"s": {"x": "//y"}\n}', _SETTINGS]
)
def test_a_member_comes_and_goes(text: str) -> None:
    value = {"command": "r", "args": ["mcp", "é"]}
    added = _jsonc.with_member(text, ["s"], "mine", value)
    assert _jsonc.member(added, ["s"], "mine") == value
    with pytest.raises(ValueError):
        _jsonc.with_member(added, ["s"], "mine", 1)
    gone = _jsonc.parse(_jsonc.without_member(added, ["s"], "mine"))
    was = _jsonc.parse(text) if text else {}
    assert gone == {"s": {}} | was
