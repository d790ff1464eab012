# SPDX-License-Identifier: Apache-2.0
"""TF32 for float32 products and convolutions of PyTorch."""

from __future__ import annotations

from typing import Any

TITLE = "Allow TF32"
DOES = "Multiplies float32 in TF32 (10 bits of mantissa) on the tensor cores."
FRAMEWORK = "torch"
SUGGESTED_BY = ("missing-tensor-core", "fp32-product")
SETTLES = ("missing-tensor-core", "fp32-product")
CHANGES = "float32 products have a relative error of about 1e-3."
KEEP = 'torch.set_float32_matmul_precision("high")'


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    if facts.get("matmul_precision") in ("high", "medium"):
        return "the program allows TF32 already"
    return None


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.allow_tf32 = True
    hook.done()


def lasts(torch: Any) -> bool:
    """Whether the setting is still in place: the program may have changed it."""
    return bool(torch.get_float32_matmul_precision() == "high")
