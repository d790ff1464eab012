# SPDX-License-Identifier: Apache-2.0
"""bf16 autocast around the modules that a PyTorch program calls."""

from __future__ import annotations

import dataclasses
from typing import Any

TITLE = "Autocast to bf16"
DOES = "Runs each call of a module under torch.autocast in bf16; its results become float32 again."
FRAMEWORK = "torch"
SUGGESTED_BY = ("missing-tensor-core", "tf32-product", "fp32-product")
SETTLES = ("tf32-product",)
CHANGES = "Products and convolutions have 7 bits of mantissa; the loss may converge differently."
KEEP = 'with torch.autocast("cuda", dtype=torch.bfloat16): around the forward pass and the loss'


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    if facts.get("modules") == 0:
        return "the program calls no torch.nn.Module"
    if facts.get("autocast"):
        return "the program uses autocast already"
    return None


def as_float32(torch: Any, value: Any) -> Any:
    """The value with its bf16 tensors in float32, within lists, tuples, dicts and dataclasses."""
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype is torch.bfloat16 else value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(as_float32(torch, item) for item in value))
    if type(value) in (list, tuple):
        return type(value)(as_float32(torch, item) for item in value)
    if isinstance(value, dict):
        for key in list(value):
            value[key] = as_float32(torch, value[key])
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            new = as_float32(torch, getattr(value, field.name))
            object.__setattr__(value, field.name, new)
    return value


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""

    def around(forward: Any, module: Any, args: Any, kwargs: Any) -> Any:
        if torch.is_autocast_enabled():
            return forward(module, *args, **kwargs)
        hook.done()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            result = forward(module, *args, **kwargs)
        return as_float32(torch, result)

    hook.around_modules(around)
