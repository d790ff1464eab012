# SPDX-License-Identifier: Apache-2.0
"""slow_scale in PyTorch: its copy transposes through shared memory."""

import torch

factor = None


def candidate(x: "f32[1024, 2048]", y: "f32[2048, 1024]", n: "i32", *, variables):
    global factor
    if factor is None:
        factor = variables["c_factor"].view(torch.float32)[1]
    torch.mul(x.t(), factor, out=y)
