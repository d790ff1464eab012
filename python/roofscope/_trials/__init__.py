# SPDX-License-Identifier: Apache-2.0
"""The trials of `roofscope try`. Each has a file with its texts, its condition and its edit.

A file has the constants that `Trial` lists, and where they are needed `condition(facts)`,
`apply(framework, hook)` and `lasts(framework)`. The tried program's Python loads it, too, from a
copy: it imports nothing of roofscope and runs in Python 3.8. A new file is found by itself.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: The order without a profile: what helps most programs first.
_ORDER = (
    "tf32",
    "compile",
    "bf16",
    "compile-graphs",
    "fused-optimizer",
    "loader",
    "channels-last",
    "cudnn-benchmark",
    "gc-off",
    "expandable-segments",
    "jax-bf16",
    "jax-tf32",
    "jax-memory",
    "connections",
    "eager-loading",
)


def _always(facts: Mapping[str, Any]) -> str | None:
    return None


@dataclass(frozen=True)
class Trial:
    """An edit that can be tried without changing a file."""

    name: str
    title: str  #: the edit as a report says it: "Allow TF32"
    does: str  #: one sentence
    framework: str  #: "torch", "jax", or "cuda" for any program
    suggested_by: tuple[str, ...]  #: rules whose actions it may help
    settles: tuple[str, ...]  #: rules that advise exactly this edit; dropped if it does not help
    changes: str  #: what it may change besides time
    keep: str  #: what the user writes to keep it
    environment: Mapping[str, str] = field(default_factory=dict)
    #: Variables whose comma-separated list gets one more entry.
    environment_lists: Mapping[str, str] = field(default_factory=dict)
    patience: float = 0  #: seconds that it may take beyond a plain run
    condition: Callable[[Mapping[str, Any]], str | None] = _always
    file: Path | None = None  #: loaded by the program's Python; None if variables suffice

    def variables(self, folder: Path) -> dict[str, str]:
        """The environment variables of this trial; `folder` is for temporary files."""
        found = {name: value.format(folder=folder) for name, value in self.environment.items()}
        for name, value in self.environment_lists.items():
            before = os.environ.get(name)
            found[name] = f"{before},{value}" if before else value
        return found


def _trial(stem: str) -> Trial:
    module = importlib.import_module(f"{__name__}.{stem}")
    applies = hasattr(module, "apply")
    return Trial(
        name=stem.replace("_", "-"),
        title=module.TITLE,
        does=module.DOES,
        framework=module.FRAMEWORK,
        suggested_by=module.SUGGESTED_BY,
        settles=module.SETTLES,
        changes=module.CHANGES,
        keep=module.KEEP,
        environment=getattr(module, "ENVIRONMENT", {}),
        environment_lists=getattr(module, "ENVIRONMENT_LISTS", {}),
        patience=getattr(module, "PATIENCE", 0),
        condition=getattr(module, "condition", _always),
        file=Path(str(module.__file__)) if applies else None,
    )


def trials() -> list[Trial]:
    """All trials, in the order in which they are tried without a profile."""
    stems = [found.name for found in pkgutil.iter_modules(__path__) if not found.ispkg]
    known = {name: rank for rank, name in enumerate(_ORDER)}
    return sorted(map(_trial, stems), key=lambda trial: known.get(trial.name, len(known)))


def hook_files() -> list[Path]:
    """The files for the folder that is put first in PYTHONPATH."""
    return sorted((Path(__file__).parent / "hook").glob("*.py"))
