# SPDX-License-Identifier: Apache-2.0
"""Attention through PyTorch's flash kernel, and FP32 products that TF32 would speed up."""
import torch

torch.manual_seed(1)
q, k, v = (torch.randn(8, 16, 1024, 64, device="cuda", dtype=torch.half) for _ in range(3))
a = torch.randn(4096, 4096, device="cuda")
for _ in range(8):
    with torch.cuda.nvtx.range("step"):
        o = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        b = a @ a
torch.cuda.synchronize()
print(f"{o.float().abs().mean().item():.4f} {b.abs().mean().item():.2f}")
