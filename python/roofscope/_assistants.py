# SPDX-License-Identifier: Apache-2.0
"""Assistants that `roofscope setup` knows, and where each keeps its files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Assistant:
    """Where an assistant keeps its files, relative to the home folder or a project."""

    name: str
    signs: tuple[str, ...]  #: the user has the assistant if one of these exists
    settings: str | None  #: the file that names its servers
    keys: tuple[str, ...] = ("mcpServers",)  #: path of the object with the servers; empty: TOML
    root: str = "started"  #: how the server learns its folder: "started" in it, "variable", "named"
    skill: str | None = None
    instructions: str | None = None  #: a file like AGENTS.md


#: In the home folder.
HOME = (
    Assistant("claude", (".claude",), ".claude.json", skill=".claude/skills/roofscope/SKILL.md"),
    Assistant(
        "codex",
        (".codex",),
        ".codex/config.toml",
        (),
        skill=".codex/skills/roofscope/SKILL.md",
        instructions=".codex/AGENTS.md",
    ),
    Assistant(
        "gemini", (".gemini",), ".gemini/settings.json", skill=".gemini/skills/roofscope/SKILL.md"
    ),
    Assistant(
        "cursor",
        (".cursor",),
        ".cursor/mcp.json",
        root="named",
        skill=".cursor/rules/roofscope.mdc",
    ),
    Assistant("copilot", (".copilot",), ".copilot/mcp-config.json"),
    Assistant(
        "windsurf", (".codeium/windsurf",), ".codeium/windsurf/mcp_config.json", root="named"
    ),
    Assistant("zed", (".config/zed",), ".config/zed/settings.json", ("context_servers",), "named"),
    Assistant(
        "opencode",
        (".config/opencode",),
        ".config/opencode/opencode.json",
        ("mcp",),
        instructions=".config/opencode/AGENTS.md",
    ),
)
#: In a project.
PROJECT = (
    Assistant(
        "claude",
        (".claude", ".mcp.json", "CLAUDE.md"),
        ".mcp.json",
        skill=".claude/skills/roofscope/SKILL.md",
        instructions="AGENTS.md",
    ),
    Assistant(
        "codex",
        (".codex",),
        ".codex/config.toml",
        (),
        skill=".codex/skills/roofscope/SKILL.md",
        instructions="AGENTS.md",
    ),
    Assistant(
        "gemini",
        (".gemini", "GEMINI.md"),
        ".gemini/settings.json",
        skill=".gemini/skills/roofscope/SKILL.md",
        instructions="AGENTS.md",
    ),
    Assistant(
        "cursor",
        (".cursor",),
        ".cursor/mcp.json",
        root="variable",
        skill=".cursor/rules/roofscope.mdc",
        instructions="AGENTS.md",
    ),
    Assistant(
        "copilot",
        (".vscode", ".github/copilot-instructions.md"),
        ".vscode/mcp.json",
        ("servers",),
        "variable",
        instructions="AGENTS.md",
    ),
    # Windsurf reads servers from the home folder only.
    Assistant("windsurf", (".windsurf",), None, instructions="AGENTS.md"),
    Assistant(
        "zed",
        (".zed",),
        ".zed/settings.json",
        ("context_servers",),
        "named",
        instructions="AGENTS.md",
    ),
    Assistant(
        "opencode",
        (".opencode", "opencode.json", "opencode.jsonc"),
        "opencode.json",
        ("mcp",),
        instructions="AGENTS.md",
    ),
)
NAMES = tuple(assistant.name for assistant in HOME)
