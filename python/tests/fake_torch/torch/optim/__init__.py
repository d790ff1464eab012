# SPDX-License-Identifier: Apache-2.0
"""Optimisers that remember their arguments."""

from torch.optim.optimizer import Optimizer


class AdamW(Optimizer):
    def __init__(self, params, lr=1e-3, *, foreach=None, fused=None):
        super().__init__(params, foreach, fused)


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, *, foreach=None, fused=None):
        super().__init__(params, foreach, fused)


del optimizer  # noqa: F821 (as PyTorch 2.15 hides its module)
