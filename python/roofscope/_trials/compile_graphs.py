# SPDX-License-Identifier: Apache-2.0
"""torch.compile with CUDA graphs."""

from __future__ import annotations

from typing import Any

TITLE = "Compile with CUDA graphs"
DOES = 'Compiles each module that the program calls with mode="reduce-overhead".'
FRAMEWORK = "torch"
SUGGESTED_BY = ("launch-bound-program", "launch-gaps", "wait-per-repeat", "host-bound")
SETTLES = ("launch-bound-program", "launch-gaps")
CHANGES = "As compile; results of a call are overwritten by the next, and more memory is held."
KEEP = 'model = torch.compile(model, mode="reduce-overhead")'
PATIENCE = 300
ENVIRONMENT = {
    "TORCHINDUCTOR_CACHE_DIR": "{folder}/inductor",
    "TRITON_CACHE_DIR": "{folder}/triton",
}


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    if facts.get("modules") == 0:
        return "the program calls no torch.nn.Module"
    if facts.get("compiled"):
        return "the program uses torch.compile already"
    return None


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""

    def compile_it(module: Any) -> None:
        if type(module).__name__ == "OptimizedModule":
            return
        module.compile(mode="reduce-overhead")
        hook.done()

    hook.on_module(compile_it)
