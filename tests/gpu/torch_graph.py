# SPDX-License-Identifier: Apache-2.0
"""A PyTorch program that replays a CUDA graph, for tests of `roofscope record`: a small network is
captured once and launched five times. Prints OK when the results are right."""
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
x = torch.randn(2048, 1024, device="cuda")
w = torch.randn(1024, 1024, device="cuda")


def step():
    return torch.softmax(torch.nn.functional.gelu(x @ w), dim=-1)


warm = torch.cuda.Stream()
warm.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(warm):
    for _ in range(2):
        step()
torch.cuda.current_stream().wait_stream(warm)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = step()
for _ in range(5):
    torch.cuda.nvtx.range_push("replay")
    graph.replay()
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
assert torch.allclose(out, step(), atol=1e-5)
print("OK")
