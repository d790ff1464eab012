// SPDX-License-Identifier: Apache-2.0
// Kernels whose launches `roofscope extract` is to keep, each with another kind of memory or
// launch; extract_check.py looks at their folders.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace {
constexpr int kCount = 2048 * 1024, kThreads = 256, kBlocks = kCount / kThreads;
}

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

// In place: it reads what it writes.
__global__ void update(float* x, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * a + 1.0f;
}

// Sums in another order in each run, into variables of the module.
__global__ void totals(const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d_total[i & 7], in[i]);
    if (i == 0) ++d_runs;
}

// Its pointers lie in memory.
__global__ void by_table(const Table* t, int which) {
    const Table s = t[which];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < s.n; i += gridDim.x * blockDim.x)
        s.out[i] = s.in[i] + which;
}

// Clusters came with compute capability 9.0; the program is compiled for older ones, too.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define PAIRS_OF_BLOCKS __cluster_dims__(2, 1, 1)
#else
#define PAIRS_OF_BLOCKS
#endif
__global__ void PAIRS_OF_BLOCKS clustered(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * 0.5f;
}

__global__ void grid_sum(const float* in, float* parts, float* out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float total = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) total += parts[b];
        *out = total;
    }
}

__global__ void on_managed(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 2 * x[i];
}

__global__ void on_pool(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 3;
}

__global__ void on_pinned(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 5;
}

// What lies behind a texture cannot be known, so this is refused.
__global__ void on_texture(cudaTextureObject_t t, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = tex1Dfetch<float>(t, i) * 2;
}

__global__ void in_graph(float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 1;
}

int main() {
    constexpr std::size_t kBytes = kCount * sizeof(float);
    int n = kCount;
    float *a, *b, *c, *parts, *total, *managedX, *managedY, *poolX, *poolY, *pinned;
    Table* table;
    for (float** p : {&a, &b, &c}) cudaMalloc(p, kBytes);
    cudaMalloc(&parts, 132 * sizeof(float));
    cudaMalloc(&total, sizeof(float));
    cudaMalloc(&table, 3 * sizeof(Table));
    cudaMallocManaged(&managedX, kBytes);
    cudaMallocManaged(&managedY, kBytes);
    cudaMallocHost(&pinned, kBytes);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocAsync(&poolX, kBytes, s);
    cudaMallocAsync(&poolY, kBytes, s);

    std::vector<float> numbers(kCount);
    for (int i = 0; i < kCount; ++i) numbers[i] = (i * 7919LL % 10007) * 1e-3f + 0.1f;
    cudaMemcpyAsync(a, numbers.data(), kBytes, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(poolX, numbers.data(), kBytes, cudaMemcpyHostToDevice, s);
    for (int i = 0; i < kCount; ++i) managedX[i] = pinned[i] = numbers[i], managedY[i] = 1;
    const float factors[4] = {1, 2.5f, 3, 4};
    cudaMemcpyToSymbolAsync(c_factor, factors, sizeof factors, 0, cudaMemcpyHostToDevice, s);
    const Table tables[3] = {{a, b, n}, {b, c, n}, {a, c, n / 2}};
    cudaMemcpyAsync(table, tables, sizeof tables, cudaMemcpyHostToDevice, s);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = a;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = kBytes;
    cudaTextureDesc description{};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);

    for (int k = 0; k < 5; ++k) {
        slow_scale<<<kBlocks, kThreads, 0, s>>>(a, b, n);
        update<<<kBlocks, kThreads, 0, s>>>(c, n, 0.5f);
        totals<<<kBlocks, kThreads, 0, s>>>(a, n);
        by_table<<<512, kThreads, 0, s>>>(table, k % 3);
        clustered<<<kBlocks, kThreads, 0, s>>>(c, n);
        void* arguments[] = {&a, &parts, &total, &n};
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sum), 132, kThreads, arguments, 0,
                                    s);
        on_managed<<<kBlocks, kThreads, 0, s>>>(managedX, managedY, n);
        on_pool<<<kBlocks, kThreads, 0, s>>>(poolX, poolY, n);
        on_pinned<<<kBlocks, kThreads, 0, s>>>(pinned, b, n);
        on_texture<<<kBlocks, kThreads, 0, s>>>(texture, b, n);
    }
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    in_graph<<<kBlocks, kThreads, 0, s>>>(c, n);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, s);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}
