# SPDX-License-Identifier: Apache-2.0
"""slow_scale in Triton: tiles are transposed on their way, so both accesses are coalesced."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    [triton.Config({"SIDE": side}, num_warps=warps) for side in (32, 64) for warps in (4, 8)],
    key=["rows"],
)
@triton.jit
def transpose(x, y, factors, rows, columns: tl.constexpr, SIDE: tl.constexpr):
    row = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    column = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    tile = tl.load(x + row[:, None] * columns + column[None, :])
    tile = tl.trans(tile * tl.load(factors + 1))
    tl.store(y + column[:, None] * rows + row[None, :], tile)


def candidate(x: "f32[:]", y: "f32[:]", n: "i32", *, variables):
    factors = variables["c_factor"].view(torch.float32)
    rows = n // 2048

    def grid(meta):
        return 2048 // meta["SIDE"], rows // meta["SIDE"]

    transpose[grid](x, y, factors, rows, 2048)
