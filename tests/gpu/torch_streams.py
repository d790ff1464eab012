# SPDX-License-Identifier: Apache-2.0
"""A PyTorch program on three streams, for tests of `roofscope record`: products, elementwise and
reduction kernels that run at the same time. Prints OK when the results are right."""
import sys

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)

torch.manual_seed(0)
a = torch.randn(512, 512, device="cuda")
x = torch.rand(1 << 20, device="cuda")
torch.cuda.synchronize()
streams = [torch.cuda.Stream() for _ in range(3)]
results = [None] * 3
for _ in range(4):
    with torch.cuda.stream(streams[0]):
        results[0] = a @ a
    with torch.cuda.stream(streams[1]):
        results[1] = torch.sqrt(x)
    with torch.cuda.stream(streams[2]):
        results[2] = x.view(1024, -1).sum(dim=1)
torch.cuda.synchronize()
assert torch.allclose(results[1] * results[1], x, atol=1e-5)
assert torch.allclose(results[2].sum(), x.sum(), rtol=1e-4)
print("OK")
