# SPDX-License-Identifier: Apache-2.0
"""A PyTorch program for the rule unfused-chain: eager chains of large tensors, which could be one
launch, and neighbours that share nothing, too little, or cannot be fused. Each inside an NVTX range
that says which."""
import sys

try:
    import torch
    from torch.cuda import nvtx
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)

n = 1 << 26  # 256 MiB of float32
x = torch.randn(n, device="cuda")
y = torch.randn(n, device="cuda")
m = x.view(8192, 8192)
row = torch.randn(8192, device="cuda")
torch.cuda.synchronize()


def in_range(name, f, repeat=2):
    for _ in range(repeat):
        nvtx.range_push(name)
        out = f()
        nvtx.range_pop()
    torch.cuda.synchronize()
    del out


in_range("chain: x + y, gelu", lambda: torch.nn.functional.gelu(x + y))
in_range("chain: m + row (broadcast), gelu", lambda: torch.nn.functional.gelu(m + row))
in_range("chain: mul add tanh", lambda: torch.tanh(x * y + x))
in_range("chain: in place", lambda: (x * 2.0).add_(1.0).mul_(0.5))
in_range("chain: relu then softmax", lambda: torch.softmax(torch.relu(m), dim=1))
in_range("silent: gelu alone", lambda: torch.nn.functional.gelu(x))
in_range("silent: two readers of x", lambda: (torch.relu(x), torch.sigmoid(x)))
small, small2 = x[: 1 << 20].clone(), y[: 1 << 20].clone()
in_range("silent: small", lambda: torch.nn.functional.gelu(small + small2))
in_range("silent: matmul", lambda: m @ m)
in_range("silent: sort", lambda: torch.sort(x[: 1 << 24]), 1)
in_range("silent: cumsum cumsum", lambda: torch.cumsum(torch.cumsum(x, 0), 0), 1)
print("OK")
