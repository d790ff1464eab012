# SPDX-License-Identifier: Apache-2.0
"""Fused kernels for the optimisers of PyTorch."""

from __future__ import annotations

import functools
import inspect
from typing import Any

TITLE = "Use fused optimisers"
DOES = "Makes Adam, AdamW, SGD and Adagrad with fused=True where the program does not choose."
FRAMEWORK = "torch"
SUGGESTED_BY = ("optimizer-passes", "launch-bound-program", "launch-gaps")
SETTLES = ("optimizer-passes",)
CHANGES = "The rounding of the update."
KEEP = "torch.optim.AdamW(…, fused=True)"

_NAMES = ("Adam", "AdamW", "SGD", "Adagrad")


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    optimizers = facts.get("optimizers")
    if optimizers is None:
        return None
    if not any(o["name"] in _NAMES and not (o["fused"] or o["foreach"]) for o in optimizers):
        return "the program uses no optimiser that has a fused form and is not fused already"
    return None


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""
    for name in _NAMES:
        kind = getattr(torch.optim, name, None)
        if kind is not None and "fused" in inspect.signature(kind.__init__).parameters:
            _replace(kind, hook)


def _replace(kind: Any, hook: Any) -> None:
    original = kind.__init__

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        chosen = any(kwargs.get(word) for word in ("fused", "foreach", "differentiable"))
        if chosen or kwargs.get("fused") is False or (not args and "params" not in kwargs):
            original(self, *args, **kwargs)
            return
        # Keep a list: an iterator of parameters would be empty in a second attempt.
        if args:
            args = (list(args[0]), *args[1:])
        else:
            kwargs["params"] = list(kwargs["params"])
        try:
            original(self, *args, **{**kwargs, "fused": True})
            hook.done()
        except (RuntimeError, TypeError, ValueError) as error:
            hook.problem(error)
            original(self, *args, **kwargs)

    kind.__init__ = __init__
