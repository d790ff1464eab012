# SPDX-License-Identifier: Apache-2.0
"""cuDNN convolutions, channels last, half precision."""
import torch

torch.manual_seed(1)
torch.backends.cudnn.benchmark = True
net = torch.nn.Sequential(torch.nn.Conv2d(64, 128, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(128, 64, 3, padding=1))
net = net.cuda().half().to(memory_format=torch.channels_last)
x = torch.randn(32, 64, 56, 56, device="cuda", dtype=torch.half).to(memory_format=torch.channels_last)
with torch.no_grad():
    for _ in range(10):
        y = net(x)
print(f"{y.float().abs().mean().item():.3f}")
