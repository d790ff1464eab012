# SPDX-License-Identifier: Apache-2.0
"""torch.compile, mode default: Inductor's Triton kernels."""
import torch

torch.manual_seed(1)
norm = torch.nn.LayerNorm(2048).cuda()


@torch.compile(mode="default")
def step(x):
    return torch.nn.functional.gelu(norm(x)) * 2 + x.sin()


with torch.no_grad():
    x = torch.randn(4096, 2048, device="cuda")
    for _ in range(20):
        y = step(x)
torch.cuda.synchronize()
print(f"{y.double().sum().item():.3f}")
