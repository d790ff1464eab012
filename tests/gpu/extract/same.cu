// SPDX-License-Identifier: Apache-2.0
__constant__ float c_factor[4];
__global__ void slow_scale(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int r = i % 2048, c = i / 2048;
        out[r * (n / 2048) + c] = in[i] * c_factor[1];
    }
}
