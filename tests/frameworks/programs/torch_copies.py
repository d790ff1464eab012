# SPDX-License-Identifier: Apache-2.0
"""A step that is mostly copies: 64 MB in and out through pageable memory."""
import torch

torch.manual_seed(1)
host = torch.ones(16 << 20)
weights = torch.full((4096, 4096), 1 / 4096, device="cuda")
for _ in range(6):
    with torch.cuda.nvtx.range("step"):
        x = host.cuda().view(4096, 4096)
        x = x @ weights
        for _ in range(60):
            x = x * 1.001
        total = x.sum().item()
        out = x.cpu()
print(f"{total:.0f} {out[0, 0].item():.4f}")
