# SPDX-License-Identifier: Apache-2.0
"""Channels-last layout for convolutions of PyTorch."""

from __future__ import annotations

from typing import Any

TITLE = "Keep convolutions in channels-last"
DOES = "Puts weights and 4-D inputs of modules with 2-D convolutions into the layout NHWC."
FRAMEWORK = "torch"
SUGGESTED_BY = ("layout-conversion", "data-movement", "missing-tensor-core")
SETTLES = ("layout-conversion",)
CHANGES = "The order of summation; .view() on an activation may fail."
KEEP = "model.to(memory_format=torch.channels_last), and x.to(memory_format=torch.channels_last)"


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    if 2 not in facts.get("convolutions", (2,)):
        return "the program calls no module with a 2-D convolution"
    return None


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""
    layout = torch.channels_last
    changed: set[int] = set()

    def convert(module: Any) -> None:
        kinds = (torch.nn.Conv2d, torch.nn.ConvTranspose2d)
        if any(isinstance(part, kinds) for part in module.modules()):
            module.to(memory_format=layout)
            changed.add(id(module))
            hook.done()

    def converted(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dim() == 4 and value.is_floating_point():
            return value.contiguous(memory_format=layout)
        return value

    def around(forward: Any, module: Any, args: Any, kwargs: Any) -> Any:
        if id(module) in changed:
            args = [converted(value) for value in args]
            kwargs = {name: converted(value) for name, value in kwargs.items()}
        return forward(module, *args, **kwargs)

    hook.on_module(convert)
    hook.around_modules(around)
