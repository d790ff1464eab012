# SPDX-License-Identifier: Apache-2.0
"""Holds 80 % of the GPU's memory while it computes."""
import torch

free, total = torch.cuda.mem_get_info()
held = torch.empty(int(total * 0.8) - (2 << 30), dtype=torch.uint8, device="cuda")
x = torch.ones(64 << 20, device="cuda")
for _ in range(20):
    x = x * 1.01 + 1
held[0] = 1
print(f"{x[0].item():.3f} {held[0].item()}")
