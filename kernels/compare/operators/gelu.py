# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

from .operator_base import Operator, grid_of


@triton.jit
def _gelu(x, y, out, n, biased: tl.constexpr, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    inside = at < n
    v = tl.load(x + at, inside)
    if biased:
        v += tl.load(y + at, inside)
    u = 0.7978845608028654 * (v + 0.044715 * v * v * v)
    tl.store(out + at, v / (1 + tl.exp(-2 * u)), inside)


class Gelu(Operator):
    cases = ["n=67108864,f32"]

    def __init__(self, biased):
        self.biased = biased
        self.name = "bias_gelu" if biased else "gelu"

    def rung(self, case):
        return "gelu/bias_fused" if self.biased else "gelu/fused_vec4"

    def inputs(self, case):
        return tuple(torch.rand(case["n"], device="cuda") * 8 - 4
                     for _ in range(2 if self.biased else 1))

    def eager(self, case, x, bias=None):
        return torch.nn.functional.gelu(x if bias is None else x + bias, approximate="tanh")

    def outputs(self, case, inputs):
        return (torch.empty_like(inputs[0]),)

    def triton_configs(self, case):
        return grid_of(("block", (1024, 2048, 4096)), ("num_warps", (4, 8)))

    def triton(self, case, config, inputs, outputs):
        block = config["block"]
        _gelu[(triton.cdiv(case["n"], block),)](inputs[0], inputs[-1], outputs[0], case["n"],
                                                self.biased, block,
                                                num_warps=config["num_warps"])


OPERATORS = [Gelu(False), Gelu(True)]
