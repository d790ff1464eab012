# SPDX-License-Identifier: Apache-2.0
"""cuDNN's benchmark mode in PyTorch."""

from __future__ import annotations

from typing import Any

TITLE = "Let cuDNN choose by measuring"
DOES = "Sets torch.backends.cudnn.benchmark: cuDNN measures its algorithms for each new shape."
FRAMEWORK = "torch"
SUGGESTED_BY = ("layout-conversion", "missing-tensor-core", "data-movement")
SETTLES = ()
CHANGES = "Another algorithm may sum in another order, and may need more memory."
KEEP = "torch.backends.cudnn.benchmark = True"


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    if facts.get("cudnn_benchmark"):
        return "the program does so already"
    if facts.get("convolutions") == []:
        return "the program calls no module with a convolution"
    return None


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""
    torch.backends.cudnn.benchmark = True
    hook.done()


def lasts(torch: Any) -> bool:
    """Whether the setting is still in place: the program may have changed it."""
    return bool(torch.backends.cudnn.benchmark)
