# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

from .operator_base import Operator, grid_of


@triton.jit
def _rope(q, cosines, sines, out, batch, positions, width: tl.constexpr, rows: tl.constexpr,
          batches: tl.constexpr):
    n = tl.program_id(0) * rows + tl.arange(0, rows)
    inside = (n < positions)[:, None]
    half: tl.constexpr = width // 2
    i = tl.arange(0, half)
    angle_at = n[:, None] * half + i[None, :]
    c = tl.load(cosines + angle_at, inside)
    s = tl.load(sines + angle_at, inside)
    for k in tl.static_range(batches):
        b = tl.program_id(1) * batches + k
        here = inside & (b < batch)
        at = (b.to(tl.int64) * positions + n[:, None]) * width + i[None, :]
        x = tl.load(q + at, here)
        y = tl.load(q + at + half, here)
        tl.store(out + at, x * c - y * s, here)
        tl.store(out + at + half, y * c + x * s, here)


class Rope(Operator):
    name = "rope"
    cases = ["B=128,N=8192,D=128,f32"]
    notes = "Triton and PyTorch read tables of cosines and sines made beforehand"

    def rung(self, case):
        return "rope/fused_vec4"

    def inputs(self, case):
        n, d = case["N"], case["D"]
        frequencies = (10000.0 ** (-torch.arange(0, d, 2, device="cuda", dtype=torch.float64) / d)
                       ).float()
        angles = torch.arange(n, device="cuda").float()[:, None] * frequencies[None, :]
        return torch.randn(case["B"], n, d, device="cuda"), angles.cos(), angles.sin()

    def eager(self, case, q, cosines, sines):
        first, second = q.chunk(2, dim=-1)
        return torch.cat((first * cosines - second * sines, second * cosines + first * sines), -1)

    def outputs(self, case, inputs):
        return (torch.empty_like(inputs[0]),)

    def triton_configs(self, case):
        return grid_of(("rows", (4, 8, 16)), ("batches", (1, 4)), ("num_warps", (4, 8)))

    def triton(self, case, config, inputs, outputs):
        grid = (triton.cdiv(case["N"], config["rows"]), triton.cdiv(case["B"], config["batches"]))
        _rope[grid](*inputs, outputs[0], case["B"], case["N"], case["D"], config["rows"],
                    config["batches"], num_warps=config["num_warps"])


OPERATORS = [Rope()]
