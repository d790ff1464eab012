// SPDX-License-Identifier: Apache-2.0
// Programs that the default counters leave open, one per case: a plain recording must find out by
// itself what limits them, and in which line.
//
//     verdicts_program stencil|atomics|spill|chase|staging|tags|tensor
//
// Prints the sum of its results, so that a recording can be checked, and for `spill` and `chase`
// the first and last line that the finding must name: "lines 70 72".
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

/// Enough for a steady state, but less time than the set-up of counters.
constexpr int kLaunches = 20;
constexpr int kThreads = 256;

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(9);
}

/// A seven-point stencil of integers on a periodic grid. Its cost is integer arithmetic: divisions
/// and comparisons for neighbours, and rounds of shifts, exclusive ors and min/max. The cells come
/// from the caches.
__global__ void __launch_bounds__(kThreads)
    stencil(const std::uint32_t* __restrict__ in, std::uint32_t* __restrict__ out, std::uint32_t nx,
            std::uint32_t ny, std::uint32_t nz, int rounds) {
    const std::uint32_t cell = blockIdx.x * kThreads + threadIdx.x;
    if (cell >= nx * ny * nz) return;
    const std::uint32_t x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
    const auto at = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
        return in[(k * ny + j) * nx + i];
    };
    const std::uint32_t centre = in[cell];
    const std::uint32_t west = at(x == 0 ? nx - 1 : x - 1, y, z);
    const std::uint32_t east = at(x + 1 == nx ? 0 : x + 1, y, z);
    const std::uint32_t south = at(x, y == 0 ? ny - 1 : y - 1, z);
    const std::uint32_t north = at(x, y + 1 == ny ? 0 : y + 1, z);
    const std::uint32_t below = at(x, y, z == 0 ? nz - 1 : z - 1);
    const std::uint32_t above = at(x, y, z + 1 == nz ? 0 : z + 1);
    std::uint32_t value = centre;
    for (int round = 0; round < rounds; ++round) {
        value ^= value << 13;
        value = max(min(value, west ^ east), south);
        value ^= value >> 17;
        value = min(max(value, below ^ above), north | centre);
        value ^= value << 5;
    }
    out[cell] = value;
}

/// A histogram in global memory whose elements all have the same bin. The bins are loaded, so that
/// the compiler cannot add up a warp's lanes first.
__global__ void __launch_bounds__(kThreads)
    atomics(const std::uint32_t* __restrict__ bins, std::uint32_t* __restrict__ counters,
            std::uint32_t n) {
    const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) atomicAdd(&counters[bins[i]], 1U);
}

/// 64 sums per thread with only 32 registers.
constexpr int kSums = 64, kSpillThreads = 1024;
constexpr int kSpillFirst = __LINE__ + 3, kSpillLast = __LINE__ + 16;
__global__ void __launch_bounds__(kSpillThreads, 2)
    spill(const float* __restrict__ in, float* __restrict__ out, int steps) {
    const int thread = blockIdx.x * kSpillThreads + threadIdx.x;
    const float x = in[thread];
    float sum[kSums];
#pragma unroll
    for (int i = 0; i < kSums; ++i) sum[i] = x + i;
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int i = 0; i < kSums; ++i) sum[i] = fmaf(sum[i], 0.5F, sum[(i + 1) % kSums]);
    }
    float total = 0;
#pragma unroll
    for (int i = 0; i < kSums; ++i) total += sum[i];
    out[thread] = total;
}

/// Each load needs the previous one; a warp follows one path, whose steps are whole lines.
constexpr int kChaseLine = __LINE__ + 6;  // the load whose result the next one needs
__global__ void __launch_bounds__(kThreads)
    chase(const std::uint32_t* __restrict__ next, std::uint32_t* __restrict__ out, int steps) {
    std::uint32_t at = blockIdx.x * kThreads + threadIdx.x;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        at = next[at];
    }
    out[blockIdx.x * kThreads + threadIdx.x] = at;
}

/// Products of two types in one kernel, FP16 and TF32, with all operands in registers.
constexpr int kTiles = 4;
__global__ void __launch_bounds__(kThreads)
    tensor(const __half* __restrict__ halves, const float* __restrict__ floats,
           float* __restrict__ out, int steps) {
#if __CUDA_ARCH__ >= 800
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> c;
    fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> d;
    fragment<accumulator, 16, 16, 16, float> ofHalves[kTiles];
    fragment<accumulator, 16, 16, 8, float> ofFloats[kTiles];
    load_matrix_sync(a, halves, 16);
    load_matrix_sync(b, halves, 16);
    load_matrix_sync(c, floats, 8);
    load_matrix_sync(d, floats, 8);
    for (int t = 0; t < kTiles; ++t) {  // a different sum each
        fill_fragment(ofHalves[t], static_cast<float>(t));
        fill_fragment(ofFloats[t], static_cast<float>(t) + 0.5F);
    }
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int t = 0; t < kTiles; ++t) {
            mma_sync(ofHalves[t], a, b, ofHalves[t]);
            mma_sync(ofFloats[t], c, d, ofFloats[t]);
        }
    const std::size_t warp = std::size_t{blockIdx.x} * (kThreads / 32) + threadIdx.x / 32;
    for (int t = 0; t < kTiles; ++t) {
        for (int i = 0; i < ofHalves[t].num_elements; ++i) ofHalves[t].x[i] += ofFloats[t].x[i];
        store_matrix_sync(out + (warp * kTiles + t) * 256, ofHalves[t], 16, mem_row_major);
    }
#else
    __trap();  // main() has refused this
#endif
}

constexpr std::uint32_t kTable = 8192;

/// Looks up keys in a table that each block first copies into shared memory. In its twin
/// `lookUpOnce` blocks are persistent, so they copy it once.
__device__ void fill(std::uint32_t* table, const std::uint32_t* values) {
    for (std::uint32_t i = threadIdx.x; i < kTable; i += kThreads) table[i] = values[i];
    __syncthreads();
}
__global__ void __launch_bounds__(kThreads)
    lookUp(const std::uint32_t* __restrict__ values, const std::uint32_t* __restrict__ keys,
           std::uint32_t* __restrict__ out) {
    __shared__ std::uint32_t table[kTable];
    fill(table, values);
    const std::uint32_t id = blockIdx.x * kThreads + threadIdx.x;
    out[id] = table[keys[id] & (kTable - 1)];
}
__global__ void __launch_bounds__(kThreads)
    lookUpOnce(const std::uint32_t* __restrict__ values, const std::uint32_t* __restrict__ keys,
               std::uint32_t* __restrict__ out, std::uint32_t count) {
    __shared__ std::uint32_t table[kTable];
    fill(table, values);
    for (std::uint32_t id = blockIdx.x * kThreads + threadIdx.x; id < count;
         id += gridDim.x * kThreads)
        out[id] = table[keys[id] & (kTable - 1)];
}

/// Reads random records of `kLanes` × 16 bytes, with all their bytes, from a table that fits into
/// the L2: with two lanes a sector, with eight a whole line. Either way a warp instruction reads
/// 512 bytes, from 16 lines or from 4.
constexpr std::uint32_t kTableBytes = 16 << 20;
template <int kLanes>
__device__ std::uint32_t gather(const uint4* table, int steps) {
    constexpr std::uint32_t kRecords = kTableBytes / (16 * kLanes);
    const std::uint32_t thread = blockIdx.x * kThreads + threadIdx.x;
    std::uint32_t sum = 0;
#pragma unroll 4
    for (int step = 0; step < steps; ++step) {
        // A separate record per group of lanes and step.
        std::uint32_t record = (thread / kLanes * 2654435761U) ^ (step * 2246822519U);
        record = (record ^ record >> 15) * 2654435761U;
        record = (record >> 8) & (kRecords - 1);
        const uint4 part = __ldcg(&table[record * kLanes + thread % kLanes]);
        sum += part.x + part.y + part.z + part.w;
    }
    return sum;
}
__global__ void __launch_bounds__(kThreads)
    gatherSectors(const uint4* __restrict__ table, std::uint32_t* __restrict__ out, int steps) {
    out[blockIdx.x * kThreads + threadIdx.x] = gather<2>(table, steps);
}
__global__ void __launch_bounds__(kThreads)
    gatherLines(const uint4* __restrict__ table, std::uint32_t* __restrict__ out, int steps) {
    out[blockIdx.x * kThreads + threadIdx.x] = gather<8>(table, steps);
}

/// An array on the GPU that lives as long as the program.
template <class T>
T* onGpu(const std::vector<T>& values) {
    T* device = nullptr;
    check(cudaMalloc(&device, values.size() * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    return device;
}

template <class T>
void printSum(const T* device, std::size_t count) {
    std::vector<T> values(count);
    check(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost), "result");
    std::printf("sum %.17g\n", std::accumulate(values.begin(), values.end(), 0.0));
}

template <class Launch>
void repeat(const Launch& launch) {
    for (int i = 0; i < kLaunches; ++i) launch();
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
}

unsigned processors() {
    int count = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "processors");
    return static_cast<unsigned>(count);
}

void runStencil() {
    constexpr std::uint32_t kNx = 192, kNy = 160, kNz = 128, kCells = kNx * kNy * kNz;
    std::vector<std::uint32_t> cells(kCells);
    std::mt19937 random(7);
    for (std::uint32_t& cell : cells) cell = random();
    const std::uint32_t* const in = onGpu(cells);
    std::uint32_t* const out = onGpu(cells);
    repeat([&] { stencil<<<kCells / kThreads, kThreads>>>(in, out, kNx, kNy, kNz, 64); });
    printSum(out, kCells);
}

void runAtomics() {
    constexpr std::uint32_t kCount = 1 << 22;
    const std::uint32_t* const bins = onGpu(std::vector<std::uint32_t>(kCount, 0));
    std::uint32_t* const counters = onGpu(std::vector<std::uint32_t>(32, 0));
    repeat([&] { atomics<<<kCount / kThreads, kThreads>>>(bins, counters, kCount); });
    printSum(counters, 32);
}

void runSpill() {
    const std::size_t threads = std::size_t{processors()} * 4 * kSpillThreads;
    const float* const in = onGpu(std::vector<float>(threads, 1.0F));
    float* const out = onGpu(std::vector<float>(threads, 0.0F));
    repeat([&] {
        spill<<<static_cast<unsigned>(threads / kSpillThreads), kSpillThreads>>>(in, out, 64);
    });
    printSum(out, threads);
    std::printf("lines %d %d\n", kSpillFirst, kSpillLast);
}

void runChase() {
    // One random cycle of lines, larger than the L2; each lane keeps its position in the line.
    constexpr std::uint32_t kLines = 1 << 21, kLanes = 32;
    std::vector<std::uint32_t> order(kLines), next(std::size_t{kLines} * kLanes);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937(11));
    for (std::uint32_t i = 0; i < kLines; ++i)
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
            next[std::size_t{order[i]} * kLanes + lane] = order[(i + 1) % kLines] * kLanes + lane;
    const std::uint32_t* const device = onGpu(next);
    // Many warps, but far below the DRAM's bandwidth: with twice as many, an H100's DRAM is at 57
    // %.
    const unsigned blocks = processors() * 4;
    std::uint32_t* const out = onGpu(std::vector<std::uint32_t>(std::size_t{blocks} * kThreads, 0));
    repeat([&] { chase<<<blocks, kThreads>>>(device, out, 4000); });
    printSum(out, std::size_t{blocks} * kThreads);
    std::printf("lines %d %d\n", kChaseLine, kChaseLine);
}

void runStaging() {
    constexpr std::uint32_t kCount = 1 << 24;
    std::vector<std::uint32_t> values(kTable), keys(kCount);
    std::iota(values.begin(), values.end(), 0U);
    std::mt19937 random(5);
    for (std::uint32_t& key : keys) key = random();
    const std::uint32_t *const table = onGpu(values), *const device = onGpu(keys);
    std::uint32_t* const out = onGpu(std::vector<std::uint32_t>(kCount, 0));
    repeat([&] { lookUp<<<kCount / kThreads, kThreads>>>(table, device, out); });
    printSum(out, kCount);
    repeat([&] { lookUpOnce<<<processors() * 6, kThreads>>>(table, device, out, kCount); });
    printSum(out, kCount);
}

void runTags() {
    std::vector<uint4> table(kTableBytes / sizeof(uint4));
    std::mt19937 random(3);
    for (uint4& part : table)
        part = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
    const uint4* const device = onGpu(table);
    const unsigned blocks = processors() * 8;
    const std::size_t threads = std::size_t{blocks} * kThreads;
    std::uint32_t* const out = onGpu(std::vector<std::uint32_t>(threads, 0));
    repeat([&] { gatherSectors<<<blocks, kThreads>>>(device, out, 400); });
    printSum(out, threads);
    repeat([&] { gatherLines<<<blocks, kThreads>>>(device, out, 400); });
    printSum(out, threads);
}

void runTensor() {
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "capability");
    if (major < 8) {
        std::fprintf(stderr, "TF32 products need compute capability 8.0\n");
        std::exit(77);
    }
    const __half* const halves = onGpu(std::vector<__half>(256, __float2half(0.0625F)));
    const float* const floats = onGpu(std::vector<float>(128, 0.125F));
    const unsigned blocks = processors() * 8;
    const std::size_t results = std::size_t{blocks} * (kThreads / 32) * kTiles * 256;
    float* const out = onGpu(std::vector<float>(results, 0.0F));
    repeat([&] { tensor<<<blocks, kThreads>>>(halves, floats, out, 500); });
    printSum(out, results);
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, std::function<void()>> cases{
        {"stencil", runStencil}, {"atomics", runAtomics}, {"spill", runSpill},  {"chase", runChase},
        {"staging", runStaging}, {"tags", runTags},       {"tensor", runTensor}};
    const auto chosen = argc == 2 ? cases.find(argv[1]) : cases.end();
    if (chosen == cases.end()) {
        std::fprintf(stderr,
                     "usage: verdicts_program "
                     "stencil|atomics|spill|chase|staging|tags|tensor\n");
        return 64;
    }
    chosen->second();
    return 0;
}
