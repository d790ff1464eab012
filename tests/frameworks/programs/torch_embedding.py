# SPDX-License-Identifier: Apache-2.0
"""Trains a large embedding, a small part of it per step, with Adam's default settings."""
import torch

torch.manual_seed(1)
table = torch.nn.Embedding(2_000_000, 64).cuda()
net = torch.nn.Sequential(torch.nn.Linear(512, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)).cuda()
optimiser = torch.optim.Adam([*table.parameters(), *net.parameters()], lr=1e-3)
for _ in range(20):
    rows = torch.randint(0, 2_000_000, (4096, 8), device="cuda")
    wanted = torch.rand(4096, 1, device="cuda")
    loss = (net(table(rows).flatten(1)) - wanted).square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
torch.cuda.synchronize()
print(f"{loss.item():.4f}")
