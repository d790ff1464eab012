# SPDX-License-Identifier: Apache-2.0
"""A training step in eager mode, forward and backward, with an NVTX range for each step."""
import torch

torch.manual_seed(1)
model = torch.nn.Sequential(
    torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.LayerNorm(4096), torch.nn.Linear(4096, 1024)
).cuda()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
x = torch.randn(2048, 1024, device="cuda")
for _ in range(6):
    with torch.cuda.nvtx.range("step"):
        loss = (model(x) - x).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
torch.cuda.synchronize()
print(f"{loss.item():.4f}")
