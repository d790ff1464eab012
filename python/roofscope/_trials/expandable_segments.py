# SPDX-License-Identifier: Apache-2.0
"""Expandable segments in PyTorch's allocator."""

from __future__ import annotations

from typing import Any

TITLE = "Use expandable segments"
DOES = "Lets PyTorch's allocator grow its segments instead of allocating new ones."
FRAMEWORK = "torch"
SUGGESTED_BY = ("allocation-in-loop",)
SETTLES = ("allocation-in-loop",)
CHANGES = "Nothing but memory: less is lost between tensors of changing sizes."
KEEP = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
#: Added to the user's own settings.
ENVIRONMENT_LISTS = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    return None if facts.get("cuda", True) else "the program does not use the GPU"
