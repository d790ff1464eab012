# SPDX-License-Identifier: Apache-2.0
"""Triton: a softmax, a layer norm, and a product that is autotuned."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(out, x, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * cols + at, e / tl.sum(e, axis=0), mask=at < cols)


@triton.jit
def norm_rows(out, x, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + at, mask=at < cols, other=0.0)
    mean = tl.sum(v, axis=0) / cols
    d = tl.where(at < cols, v - mean, 0.0)
    tl.store(out + row * cols + at, d / tl.sqrt(tl.sum(d * d, axis=0) / cols + 1e-5), mask=at < cols)


@triton.autotune(
    [triton.Config({"M": m, "N": n, "K": 32}, num_warps=4, num_stages=3) for m in (64, 128) for n in (64, 128)],
    key=["size"],
)
@triton.jit
def matmul_tiles(a, b, c, size, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    cols = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, size, K):
        inner = k + tl.arange(0, K)
        acc += tl.dot(tl.load(a + rows[:, None] * size + inner[None, :]), tl.load(b + inner[:, None] * size + cols[None, :]))
    tl.store(c + rows[:, None] * size + cols[None, :], acc.to(tl.bfloat16))


torch.manual_seed(1)
x = torch.randn(8192, 2000, device="cuda")
out = torch.empty_like(x)
a, b = (torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16) for _ in range(2))
c = torch.empty_like(a)
for _ in range(5):
    softmax_rows[(8192,)](out, x, 2000, BLOCK=2048)
    norm_rows[(8192,)](out, out, 2000, BLOCK=2048)
    matmul_tiles[lambda meta: (2048 // meta["M"], 2048 // meta["N"])](a, b, c, 2048)
torch.cuda.synchronize()
print(f"{out.abs().double().sum().item():.2f} {c.float().abs().mean().item():.3f}")
