# SPDX-License-Identifier: Apache-2.0
"""torch.compile with its defaults."""

from __future__ import annotations

from typing import Any

TITLE = "Compile with torch.compile"
DOES = "Compiles each module that the program calls, before its first call."
FRAMEWORK = "torch"
SUGGESTED_BY = (
    "unfused-elementwise",
    "unfused-chain",
    "launch-bound-program",
    "launch-gaps",
    "host-bound",
    "data-movement",
)
SETTLES = ("unfused-elementwise",)
CHANGES = "The order and rounding of fused operations; random numbers differ."
KEEP = "model = torch.compile(model)"
#: Seconds that this trial may take beyond a plain run.
PATIENCE = 300
#: A folder for this trial only: else a second run would find what the first compiled, and the
#: compiled files would stay behind.
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
        module.compile()
        hook.done()

    hook.on_module(compile_it)
