# SPDX-License-Identifier: Apache-2.0
"""The same step captured once in a CUDA graph and launched many times."""
import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU(), torch.nn.Linear(512, 512)).cuda()
x = torch.randn(64, 512, device="cuda")
stream = torch.cuda.Stream()
with torch.no_grad(), torch.cuda.stream(stream):
    model(x)
stream.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
for _ in range(50):
    graph.replay()
torch.cuda.synchronize()
print(f"{y.sum().item():.4f}")
