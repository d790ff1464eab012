// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>
__constant__ float c_factor[4];
__device__ float d_total[8];
__device__ int d_runs;
struct Table {
    const float* in;
    float* out;
    int n;
};
// Transposes with uncoalesced writes: slow on purpose.
__global__ void slow_scale(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int r = i % 2048, c = i / 2048;
        out[r * (n / 2048) + c] = in[i] * c_factor[1];
    }
}
__global__ void update(float* x, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * a + 1.0f;
}
__global__ void totals(const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_total[i & 7], in[i]);
    if (i == 0) ++d_runs;
}
__global__ void by_table(const Table* t, int which) {
    const Table s = t[which];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < s.n; i += gridDim.x * blockDim.x)
        s.out[i] = s.in[i] + which;
}
__global__ void __cluster_dims__(2, 1, 1) clustered(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * 0.5f;
}
int main() {
    const int n = 2048 * 1024;
    float *a, *b, *c;
    Table* t;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&c, n * 4);
    cudaMalloc(&t, 3 * sizeof(Table));
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 7919 % 10007) * 1e-3f + 0.1f;
    cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
    float f[4] = {1, 2.5f, 3, 4};
    cudaMemcpyToSymbol(c_factor, f, sizeof f);
    Table ht[3] = {{a, b, n}, {b, c, n}, {a, c, n / 2}};
    cudaMemcpy(t, ht, sizeof ht, cudaMemcpyHostToDevice);
    for (int k = 0; k < 5; ++k) {
        slow_scale<<<n / 256, 256>>>(a, b, n);
        update<<<n / 256, 256>>>(c, n, 0.5f);
        totals<<<n / 256, 256>>>(a, n);
        by_table<<<512, 256>>>(t, k % 3);
        clustered<<<n / 256, 256>>>(c, n);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
