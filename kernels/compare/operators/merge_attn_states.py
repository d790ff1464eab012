# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

from .operator_base import Operator, grid_of


@triton.jit
def _merge(prefix, suffix, prefix_lse, suffix_lse, out, out_lse, tokens, heads, total,
           width: tl.constexpr, rows: tl.constexpr):
    row = tl.program_id(0) * rows + tl.arange(0, rows)
    inside = row < total
    token, head = row // heads, row % heads
    lse_at = head * tokens + token
    a = tl.load(prefix_lse + lse_at, inside)
    b = tl.load(suffix_lse + lse_at, inside)
    a = tl.where(a == float("inf"), -float("inf"), a)
    b = tl.where(b == float("inf"), -float("inf"), b)
    most = tl.maximum(a, b)
    p, s = tl.exp(a - most), tl.exp(b - most)
    total_weight = p + s
    at = row[:, None].to(tl.int64) * width + tl.arange(0, width)[None, :]
    x = tl.load(prefix + at, inside[:, None]).to(tl.float32)
    y = tl.load(suffix + at, inside[:, None]).to(tl.float32)
    joined = x * (p / total_weight)[:, None] + y * (s / total_weight)[:, None]
    tl.store(out + at, joined.to(out.dtype.element_ty), inside[:, None])
    tl.store(out_lse + lse_at, most + tl.log(total_weight), inside)


class Merge(Operator):
    name = "merge_attn_states"
    cases = [f"T={t},H=16,S={s},lse=1,bf16" for t in (65536, 4096, 512) for s in (128, 64, 32)] + [
        "T=65536,H=16,S=128,lse=1,f16", "T=65536,H=16,S=128,lse=1,f32"]

    def rung(self, case):
        return "merge_attn_states/vec16B"

    def inputs(self, case):
        shape = (case["T"], case["H"], case["S"])
        tensors = [torch.rand(shape, device="cuda").to(case.dtype) for _ in range(2)]
        lses = [torch.rand(case["H"], case["T"], device="cuda") * 20 - 10 for _ in range(2)]
        return (*tensors, *lses)

    def eager(self, case, prefix, suffix, prefix_lse, suffix_lse):
        infinite = float("inf")
        a = torch.where(prefix_lse == infinite, -infinite, prefix_lse)
        b = torch.where(suffix_lse == infinite, -infinite, suffix_lse)
        most = torch.maximum(a, b)
        p, s = torch.exp(a - most), torch.exp(b - most)
        total = p + s
        joined = (prefix.float() * (p / total).T.unsqueeze(-1) +
                  suffix.float() * (s / total).T.unsqueeze(-1))
        return joined.to(prefix.dtype), most + torch.log(total)

    def outputs(self, case, inputs):
        return torch.empty_like(inputs[0]), torch.empty_like(inputs[2])

    def triton_configs(self, case):
        return grid_of(("rows", (1, 4, 16, 32, 64)), ("num_warps", (1, 2, 4, 8)))

    def triton(self, case, config, inputs, outputs):
        total = case["T"] * case["H"]
        _merge[(triton.cdiv(total, config["rows"]),)](
            *inputs, *outputs, case["T"], case["H"], total, case["S"], config["rows"],
            num_warps=config["num_warps"])


OPERATORS = [Merge()]
