# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

from .operator_base import Operator, grid_of


@triton.jit
def _decode(q, k, v, past, slope, new, out, heads, d: tl.constexpr, e: tl.constexpr,
            rows: tl.constexpr, columns: tl.constexpr):
    matrix = tl.program_id(0)
    i = tl.arange(0, rows)
    j = tl.program_id(1) * columns + tl.arange(0, columns)
    decay = tl.exp(-tl.load(slope + matrix % heads))
    qv = tl.load(q + matrix * d + i, i < d, 0).to(tl.float32)
    kv = tl.load(k + matrix * d + i, i < d, 0).to(tl.float32)
    vv = tl.load(v + matrix * e + j, j < e, 0).to(tl.float32)
    at = matrix.to(tl.int64) * (d * e) + i[:, None] * e + j[None, :]
    inside = (i < d)[:, None] & (j < e)[None, :]
    state = decay * tl.load(past + at, inside, 0) + kv[:, None] * vv[None, :]
    tl.store(new + at, state, inside)
    tl.store(out + matrix * e + j, tl.sum(qv[:, None] * state, 0).to(out.dtype.element_ty), j < e)


class Decode(Operator):
    name = "lightning_attention_decode"
    cases = [f"B={b},H=64,D=96,E=96,{t}" for t in ("bf16", "f32") for b in (64, 1, 4, 16, 256)]

    def rung(self, case):
        return "lightning_attention_decode/split_heads"

    def inputs(self, case):
        b, h, d, e = (case[name] for name in "BHDE")
        vectors = [torch.randn(b, h, 1, width, device="cuda").to(case.dtype) for width in (d, d, e)]
        return (*vectors, torch.randn(b, h, d, e, device="cuda"), torch.rand(h, device="cuda"))

    def eager(self, case, q, k, v, past, slope):
        decay = torch.exp(-slope)[None, :, None, None]
        new = decay * past + k.float().transpose(2, 3) * v.float()
        return new, torch.matmul(q.float(), new).to(q.dtype)

    def outputs(self, case, inputs):
        return torch.empty_like(inputs[3]), torch.empty_like(inputs[2])

    def triton_configs(self, case):
        return grid_of(("columns", (16, 32, 128)), ("num_warps", (2, 4, 8)))

    def triton(self, case, config, inputs, outputs):
        matrices, columns = case["B"] * case["H"], config["columns"]
        _decode[(matrices, triton.cdiv(case["E"], columns))](
            *inputs, *outputs, case["H"], case["D"], case["E"],
            triton.next_power_of_2(case["D"]), columns, num_warps=config["num_warps"])


OPERATORS = [Decode()]
