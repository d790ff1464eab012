# SPDX-License-Identifier: Apache-2.0
"""A PyTorch and Triton program for tests of `roofscope record`: a matrix product, elementwise,
softmax and a Triton kernel, each inside an NVTX range. Prints OK when the results are right."""
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


@triton.jit
def add_kernel(x, y, out, n, block: tl.constexpr):
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask) + tl.load(y + offsets, mask), mask)


torch.manual_seed(0)
n = 1 << 22
a = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
b = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
x = torch.randn(n, device="cuda")
y = torch.randn(n, device="cuda")
out = torch.empty_like(x)
for _ in range(3):
    torch.cuda.nvtx.range_push("matmul")
    c = a @ b
    torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.range_push("gelu")
    g = torch.nn.functional.gelu(x)
    torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.range_push("softmax")
    s = torch.softmax(x.view(1024, -1), dim=1)
    torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.range_push("triton-add")
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, block=1024)
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
assert torch.allclose(out, x + y)
assert torch.allclose(s.sum(dim=1), torch.ones(1024, device="cuda"), atol=1e-4)
print("OK")
