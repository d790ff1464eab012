# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

from .operator_base import Operator, grid_of


@triton.jit
def _matmul(a, b, c, m, n, k, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr,
            group: tl.constexpr):
    # Blocks are grouped by rows, so that neighbours share operands in the L2.
    down, across = tl.cdiv(m, bm), tl.cdiv(n, bn)
    at = tl.program_id(0)
    first = at // (group * across) * group
    height = min(down - first, group)
    row = (first + at % (group * across) % height) * bm + tl.arange(0, bm)
    column = at % (group * across) // height * bn + tl.arange(0, bn)
    sums = tl.zeros((bm, bn), tl.float32)
    for start in range(0, k, bk):
        i = start + tl.arange(0, bk)
        x = tl.load(a + row[:, None] * k + i[None, :], (row < m)[:, None] & (i < k)[None, :], 0)
        y = tl.load(b + i[:, None] * n + column[None, :], (i < k)[:, None] & (column < n)[None, :],
                    0)
        sums = tl.dot(x, y, sums, input_precision="ieee")
    tl.store(c + row[:, None] * n + column[None, :], sums.to(c.dtype.element_ty),
             (row < m)[:, None] & (column < n)[None, :])


class Matmul(Operator):
    name = "matmul"
    kind = "compute"
    cases = ["M=4096,N=4096,K=4096,bf16", "M=4096,N=4096,K=4096,f32"]
    notes = "PyTorch calls cuBLAS, fp32 without TF32; no Triton form in fp32"

    def rung(self, case):
        return "matmul/" + ("tensor_core" if case.dtype_name == "bf16" else "register_tiled_vec4")

    def inputs(self, case):
        return tuple((torch.rand(shape, device="cuda") * 2 - 1).to(case.dtype)
                     for shape in ((case["M"], case["K"]), (case["K"], case["N"])))

    def eager(self, case, a, b):
        return a @ b

    def outputs(self, case, inputs):
        return (torch.empty(case["M"], case["N"], device="cuda", dtype=case.dtype),)

    def triton_configs(self, case):
        if case.dtype_name == "f32":
            return []
        return [dict(bm=128, bn=256, bk=64, num_warps=8, num_stages=3),
                dict(bm=128, bn=128, bk=64, num_warps=4, num_stages=4),
                dict(bm=128, bn=256, bk=64, num_warps=8, num_stages=4)]

    def triton(self, case, config, inputs, outputs):
        m, n, k = case["M"], case["N"], case["K"]
        grid = (triton.cdiv(m, config["bm"]) * triton.cdiv(n, config["bn"]),)
        _matmul[grid](*inputs, outputs[0], m, n, k, config["bm"], config["bn"], config["bk"], 8,
                      num_warps=config["num_warps"], num_stages=config["num_stages"])

    def tolerance(self, case):
        return 1e-2 if case.dtype_name == "bf16" else 1e-4


OPERATORS = [Matmul()]
