# SPDX-License-Identifier: Apache-2.0
"""A program that first searches for the best configurations: a Triton kernel with @triton.autotune,
and a function under torch.compile(mode="max-autotune"). Then each runs STEPS times (default 5) in
an NVTX range "work". Prints OK if the results are right, and the number of configurations tried."""
import sys

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5


@triton.autotune([triton.Config({"block": block}, num_warps=warps)
                  for block in (256, 1024, 4096) for warps in (2, 8)], key=["n"])
@triton.jit
def scale_kernel(x, out, n, block: tl.constexpr):
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    mask = offsets < n
    tl.store(out + offsets, 2 * tl.load(x + offsets, mask), mask)


def scale(x):
    out = torch.empty_like(x)
    scale_kernel[lambda meta: (triton.cdiv(x.numel(), meta["block"]),)](x, out, x.numel())
    return out


@torch.compile(mode="max-autotune-no-cudagraphs")
def layer(a, b):
    return torch.softmax((a @ b).float(), dim=-1)


torch.manual_seed(0)
x = torch.randn(1 << 24, device="cuda")
a = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
b = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
scale(x), layer(a, b)
torch.cuda.synchronize()
torch.cuda.nvtx.range_push("work")
for _ in range(steps):
    doubled, rows = scale(x), layer(a, b)
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
ok = torch.equal(doubled, 2 * x) and torch.allclose(rows.sum(-1), torch.ones(1024, device="cuda"))
print("OK" if ok else "WRONG", len(scale_kernel.configs), "configurations of scale_kernel")
sys.exit(0 if ok else 1)
