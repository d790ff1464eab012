# SPDX-License-Identifier: Apache-2.0
"""cuBLASLt through PyTorch: a product with bias and GELU in its epilogue, and one of FP8 where the GPU has it."""
import torch

torch.manual_seed(1)
x = torch.randn(4096, 1024, device="cuda", dtype=torch.bfloat16)
layer = torch.nn.Linear(1024, 4096, device="cuda", dtype=torch.bfloat16)
fp8 = torch.cuda.get_device_capability() >= (8, 9)
if fp8:
    a = torch.randn(4096, 4096, device="cuda").to(torch.float8_e4m3fn)
    b = torch.randn(4096, 4096, device="cuda").to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
with torch.no_grad():
    for _ in range(10):
        y = torch._addmm_activation(layer.bias, x, layer.weight.t(), use_gelu=True)
        if fp8:
            z = torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
torch.cuda.synchronize()
print(f"{y.float().abs().mean().item():.3f}" + (f" {z.float().abs().mean().item():.2f}" if fp8 else ""))
