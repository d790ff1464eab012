# SPDX-License-Identifier: Apache-2.0
"""CuPy: a RawKernel (NVRTC), elementwise kernels, a sort."""
import cupy

scale = cupy.RawKernel(
    r"""
extern "C" __global__ void scaleStrided(const float* x, float* y, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8 % n;
    y[i] = x[i] * 2.0f;
}""",
    "scaleStrided",
)
n = 1 << 22
x = cupy.arange(n, dtype=cupy.float32)
y = cupy.zeros_like(x)
for _ in range(5):
    scale((n // 256,), (256,), (x, y, n))
    z = cupy.sqrt(x) + y * 3
s = cupy.sort(-z)
print(f"{float(s[0]):.1f} {float(z.sum()):.4e}")
