# SPDX-License-Identifier: Apache-2.0
"""torch_clocks.py few|steady: the same matrix product with pauses, as in a short loop, or without
pauses for seconds, as in training. Power caps lower the clocks of the latter."""

import sys
import time

import torch

steady = sys.argv[1] == "steady"
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
out = torch.empty_like(a)
for _ in range(3000 if steady else 60):
    torch.matmul(a, b, out=out)
    if not steady:
        torch.cuda.synchronize()
        time.sleep(0.02)
torch.cuda.synchronize()
