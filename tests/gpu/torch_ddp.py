# SPDX-License-Identifier: Apache-2.0
"""Two ranks that train together, for torchrun. With "uneven" rank 1 has twice the batch."""
import os
import sys

import torch
import torch.distributed as dist

if torch.cuda.device_count() < int(os.environ["WORLD_SIZE"]):
    sys.exit(77)
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = True
layers = [m for _ in range(6) for m in (torch.nn.Linear(4096, 4096), torch.nn.GELU())]
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers).cuda(), device_ids=[rank])
optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)
batch = 4096 * (2 if rank == 1 and "uneven" in sys.argv else 1)
x = torch.randn(batch, 4096, device="cuda")
for _ in range(8):
    with torch.cuda.nvtx.range("step"):
        loss = model(x).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
torch.cuda.synchronize()
if rank == 0:
    print(f"{loss.item():.4f}")
dist.destroy_process_group()
