# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small transformer: `torch_training.py [STEPS]`. Prints the median time of a
step in ms. Under torchrun the ranks train together through NCCL. 77: a requirement is missing."""
import os
import statistics
import sys
import time

try:
    import torch
except ImportError as problem:
    print(f"skipped: {problem}", file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU", file=sys.stderr)
    sys.exit(77)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    rank, ranks = int(os.environ.get("LOCAL_RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    torch.manual_seed(rank)
    torch.cuda.set_device(rank)
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda()
    if ranks > 1:
        torch.distributed.init_process_group("nccl")
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    inputs = torch.randn(16, 256, 512, device="cuda")
    seconds = []
    for step in range(steps):
        begin = time.perf_counter()
        torch.cuda.nvtx.range_push("step")
        optimizer.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward()
        optimizer.step()
        torch.cuda.nvtx.range_pop()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    value = loss.item()
    assert value == value
    if rank == 0:
        print(f"step {1e3 * statistics.median(seconds[len(seconds) // 2:]):.4f} ms, loss {value:.6f}")
    if ranks > 1:
        torch.distributed.destroy_process_group()


main()
