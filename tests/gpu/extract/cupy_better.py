# SPDX-License-Identifier: Apache-2.0
"""slow_scale as source that CuPy compiles."""

import cupy

kernel = cupy.RawKernel(
    r"""
extern "C" __global__ void tiled(const float* in, float* out, const float* factors, int rows) {
    __shared__ float tile[32][33];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[(blockIdx.y * 32 + y) * 2048 + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[(blockIdx.x * 32 + y) * rows + blockIdx.y * 32 + threadIdx.x] =
            tile[threadIdx.x][y] * factors[1];
}
""",
    "tiled",
)


def candidate(x: "f32", y: "f32", n: "i32", *, variables):
    rows = n // 2048
    factors = variables["c_factor"].view(cupy.float32)
    kernel((64, rows // 32), (32, 8), (x, y, factors, cupy.int32(rows)))
