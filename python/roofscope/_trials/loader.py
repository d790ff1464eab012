# SPDX-License-Identifier: Apache-2.0
"""Workers, pinned memory and non-blocking copies for DataLoaders of PyTorch."""

from __future__ import annotations

import functools
import os
from typing import Any

TITLE = "Load data with workers into pinned memory"
DOES = (
    "Gives DataLoaders up to 8 workers and pinned memory, and copies their batches to the GPU "
    "without waiting."
)
FRAMEWORK = "torch"
SUGGESTED_BY = ("pageable-copy", "host-bound", "copy-not-overlapped", "sync-stops-queue")
SETTLES = ("pageable-copy",)
CHANGES = "Random augmentation draws other numbers in workers; more memory on the host."
KEEP = 'DataLoader(…, num_workers=8, pin_memory=True), and batch.to("cuda", non_blocking=True)'

_MARK = "_roofscope_loaded"


def condition(facts: dict[str, Any]) -> str | None:
    """Why this trial cannot help; None if it may."""
    loaders = facts.get("loaders")
    if loaders is None:
        return None
    if not loaders:
        return "the program makes no DataLoader"
    if all(each["workers"] and each["pinned"] for each in loaders):
        return "all DataLoaders have workers and pinned memory already"
    return None


def _processors() -> int:
    return len(os.sched_getaffinity(0))


def apply(torch: Any, hook: Any) -> None:
    """Applies the trial after torch was imported."""
    data = torch.utils.data
    _more_workers(data, hook)
    _mark_batches(torch, data.DataLoader)
    for name in ("to", "cuda"):
        _not_blocking(torch.Tensor, name)


def _more_workers(data: Any, hook: Any) -> None:
    original = data.DataLoader.__init__

    @functools.wraps(original)
    def __init__(self: Any, dataset: Any, *args: Any, **kwargs: Any) -> None:
        ours: dict[str, Any] = {}
        # Further positional arguments: batch_size, shuffle, sampler, batch_sampler, num_workers, …
        if len(args) < 5:
            # With an iterable dataset, each worker would read all of it.
            iterable = isinstance(dataset, data.IterableDataset)
            if not kwargs.get("num_workers") and not iterable:
                ours = {"num_workers": min(8, _processors()), "persistent_workers": True}
            if not kwargs.get("pin_memory"):
                ours["pin_memory"] = True
        try:
            original(self, dataset, *args, **{**kwargs, **ours})
            if ours:
                hook.done()
        except (RuntimeError, TypeError, ValueError) as error:
            hook.problem(error)
            original(self, dataset, *args, **kwargs)

    data.DataLoader.__init__ = __init__


def _mark_batches(torch: Any, loader: Any) -> None:
    """Marks the tensors of batches. Only for these it is known that nobody writes to them again."""

    def mark(value: Any) -> None:
        if isinstance(value, torch.Tensor):
            setattr(value, _MARK, True)
        elif isinstance(value, dict):
            for item in value.values():
                mark(item)
        elif isinstance(value, (list, tuple)):
            for item in value:
                mark(item)

    original = loader.__iter__

    @functools.wraps(original)
    def __iter__(self: Any) -> Any:
        iterator = original(self)
        for batch in iterator:
            mark(batch)
            yield batch

    loader.__iter__ = __iter__


def _not_blocking(tensor: Any, name: str) -> None:
    original = getattr(tensor, name)

    @functools.wraps(original)
    def copied(self: Any, *args: Any, **kwargs: Any) -> Any:
        # With three positional arguments, non_blocking may be one of them.
        if getattr(self, _MARK, False) and len(args) < 2 and "non_blocking" not in kwargs:
            kwargs["non_blocking"] = bool(self.is_pinned())
        return original(self, *args, **kwargs)

    setattr(tensor, name, copied)
