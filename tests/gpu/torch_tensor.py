# SPDX-License-Identifier: Apache-2.0
"""Matrix products on tensor cores, of every type that PyTorch offers here, each in an NVTX range
named after the type. A product of n × n matrices is 2·n³ operations."""
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
torch.backends.cuda.matmul.allow_tf32 = True
one = torch.ones((), device="cuda")


def matrix(n, kind):
    if kind == torch.int8:
        return torch.randint(-8, 8, (n, n), device="cuda", dtype=kind)
    return torch.randn(n, n, device="cuda").to(kind)


PRODUCTS = {
    "bf16": (4096, torch.bfloat16, torch.matmul),
    "fp16": (4096, torch.float16, torch.matmul),
    "tf32": (4096, torch.float32, torch.matmul),
    "fp64": (2048, torch.float64, torch.matmul),
    "int8": (4096, torch.int8, lambda a, b: torch._int_mm(a, b.t())),
    "fp8": (4096, torch.float8_e4m3fn,
            lambda a, b: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16)),
}
for name, (n, kind, product) in PRODUCTS.items():
    try:
        a, b = matrix(n, kind), matrix(n, kind)
        product(a, b)
    except RuntimeError as error:  # this GPU lacks the type
        print(f"no {name}: {str(error).splitlines()[0]}")
        continue
    torch.cuda.nvtx.range_push(name)
    for _ in range(3):
        product(a, b)
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
print("OK")
