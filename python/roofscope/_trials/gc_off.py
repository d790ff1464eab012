# SPDX-License-Identifier: Apache-2.0
"""No garbage collection of Python during steps."""

from __future__ import annotations

import gc
from typing import Any

TITLE = "Turn garbage collection off in steps"
DOES = "After the first step, collects and freezes what is there, and turns the collector off."
FRAMEWORK = "torch"
SUGGESTED_BY = ("host-bound", "launch-bound-program", "launch-gaps")
SETTLES = ()
CHANGES = "Memory grows if the program makes reference cycles in each step."
KEEP = "gc.collect(); gc.freeze(); gc.disable() after the first step"


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    if facts.get("modules") == 0 and facts.get("optimizers") == []:
        return "the program has no step that the hook knows"
    return None


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""

    def freeze() -> None:
        gc.collect()
        gc.freeze()
        gc.disable()
        hook.done()

    hook.on_first_step(freeze)


def lasts(torch: Any) -> bool:
    """Whether the setting is still in place: the program may have changed it."""
    return not gc.isenabled()
