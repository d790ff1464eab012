# SPDX-License-Identifier: Apache-2.0
"""Two threads with a stream each, and copies that overlap with kernels."""
import threading

import torch

host = torch.ones(8 << 20).pin_memory()
sums = [0.0, 0.0]


def work(index):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.ones(4 << 20, device="cuda")
        for _ in range(20):
            y = host.to("cuda", non_blocking=True)
            for _ in range(10):
                x = x * 1.01
        stream.synchronize()
        sums[index] = float(x[0]) + float(y[0])


threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(" ".join(f"{s:.4f}" for s in sums))
