# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

from .operator_base import Operator, grid_of

CHUNK = 64


@triton.jit
def _causal(q, k, v, out, length, e: tl.constexpr, m: tl.constexpr, columns: tl.constexpr,
            chunk: tl.constexpr):
    head = tl.program_id(0).to(tl.int64)
    rows, i = tl.arange(0, chunk), tl.arange(0, e)
    j = tl.program_id(1) * columns + tl.arange(0, columns)
    state = tl.zeros((e, columns), tl.float32)
    causal = rows[:, None] >= rows[None, :]
    for start in range(0, length, chunk):
        inside = (start + rows < length)[:, None]
        at = head * length + start + rows
        qc = tl.load(q + at[:, None] * e + i[None, :], inside, 0)
        kc = tl.load(k + at[:, None] * e + i[None, :], inside, 0)
        vc = tl.load(v + at[:, None] * m + j[None, :], inside, 0)
        scores = tl.where(causal, tl.dot(qc, tl.trans(kc), input_precision="tf32x3"), 0)
        o = tl.dot(scores, vc, input_precision="tf32x3")
        o += tl.dot(qc, state, input_precision="tf32x3")
        tl.store(out + at[:, None] * m + j[None, :], o, inside)
        state += tl.dot(tl.trans(kc), vc, input_precision="tf32x3")


class Causal(Operator):
    name = "causal_linear_attention"
    kind = "compute"
    cases = [f"B={b},H={h},L={l},E={w},M={w},f32"
             for b, h, l in ((16, 16, 1024), (4, 8, 1024), (1, 8, 4096)) for w in (64, 32, 128)]
    notes = ("f32 accuracy throughout: Triton multiplies in three TF32 parts, PyTorch in fp32; both "
             "take chunks of the sequence")

    def rung(self, case):
        return "causal_linear_attention/auto"

    def inputs(self, case):
        b, h, l = case["B"], case["H"], case["L"]
        return tuple(torch.rand(b, h, l, case[w], device="cuda") * 2 - 1 for w in "EEM")

    def eager(self, case, q, k, v):
        b, h, l, e = q.shape
        m, chunks = v.shape[-1], l // CHUNK
        q, k, v = (x.reshape(b * h, chunks, CHUNK, -1) for x in (q, k, v))
        states = torch.matmul(k.transpose(2, 3), v)
        before = torch.cumsum(states, 1) - states
        scores = torch.matmul(q, k.transpose(2, 3)).tril()
        return (torch.matmul(scores, v) + torch.matmul(q, before)).reshape(b, h, l, m)

    def outputs(self, case, inputs):
        return (torch.empty_like(inputs[2]),)

    def triton_configs(self, case):
        return grid_of(("columns", tuple(c for c in (16, 32, 64) if c <= case["M"])),
                       ("chunk", (32, 64)), ("num_warps", (4, 8)))

    def triton(self, case, config, inputs, outputs):
        grid = (case["B"] * case["H"], case["M"] // config["columns"])
        _causal[grid](*inputs, outputs[0], case["L"], case["E"], case["M"], config["columns"],
                      config["chunk"], num_warps=config["num_warps"])

    def tolerance(self, case):
        return 1e-4  # PyTorch's own sums of 1024 products are no more accurate


OPERATORS = [Causal()]
