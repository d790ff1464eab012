# SPDX-License-Identifier: Apache-2.0
"""Triton: attention without the score matrix, as in Triton's tutorial; autotuned block sizes."""
import torch
import triton
import triton.language as tl


@triton.autotune(
    [triton.Config({"ROWS": r, "COLS": c}, num_warps=4, num_stages=s) for r in (64, 128) for c in (32, 64) for s in (2, 3)],
    key=["length"],
)
@triton.jit
def attend(q, k, v, out, length, scale, HEAD: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    first = tl.program_id(1) * length
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    lane = tl.arange(0, HEAD)
    query = tl.load(q + (first + rows)[:, None] * HEAD + lane[None, :])
    highest = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, HEAD), tl.float32)
    for start in range(0, length, COLS):
        cols = first + start + tl.arange(0, COLS)
        key = tl.load(k + cols[None, :] * HEAD + lane[:, None])
        score = tl.dot(query, key) * scale
        now = tl.maximum(highest, tl.max(score, axis=1))
        weight = tl.exp2(score - now[:, None])
        shrink = tl.exp2(highest - now)
        total = total * shrink + tl.sum(weight, axis=1)
        value = tl.load(v + cols[:, None] * HEAD + lane[None, :])
        acc = acc * shrink[:, None] + tl.dot(weight.to(tl.float16), value)
        highest = now
    tl.store(out + (first + rows)[:, None] * HEAD + lane[None, :], (acc / total[:, None]).to(tl.float16))


torch.manual_seed(1)
heads, length, head = 32, 2048, 64
q, k, v = (torch.randn(heads, length, head, device="cuda", dtype=torch.half) for _ in range(3))
out = torch.empty_like(q)
for _ in range(10):
    attend[lambda meta: (length // meta["ROWS"], heads)](q, k, v, out, length, 1.4427 * head**-0.5, HEAD=head)
torch.cuda.synchronize()
expected = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
print(f"{out.float().abs().mean().item():.4f} {(out - expected).abs().max().item() < 1e-2}")
