# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

from .operator_base import Operator, grid_of


@triton.jit
def _softmax(x, out, cols, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    at = tl.arange(0, block)
    v = tl.load(x + row + at, at < cols, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row + at, e / tl.sum(e, 0), at < cols)


class Softmax(Operator):
    name = "softmax"
    cases = ["rows=16384,cols=4096,f32", "rows=8192,cols=8192,f32"]

    def rung(self, case):
        return "softmax/online_vec4"

    def inputs(self, case):
        return (torch.randn(case["rows"], case["cols"], device="cuda"),)

    def eager(self, case, x):
        return torch.softmax(x, dim=1)

    def outputs(self, case, inputs):
        return (torch.empty_like(inputs[0]),)

    def triton_configs(self, case):
        return grid_of(("num_warps", (4, 8, 16, 32)))

    def triton(self, case, config, inputs, outputs):
        _softmax[(case["rows"],)](inputs[0], outputs[0], case["cols"],
                                  triton.next_power_of_2(case["cols"]),
                                  num_warps=config["num_warps"])


OPERATORS = [Softmax()]
