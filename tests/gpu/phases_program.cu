// SPDX-License-Identifier: Apache-2.0
// Kernels with different phases that measure their phases with the GPU's own clock: samples over
// time are compared with that.
//
//     phases_program
//
// Prints for the last launch of each kernel: "steady BYTES"; "tail NS" and "brief NS" (from the end
// of the copy to the end of the one block that goes on); "late NS" (from the first block to the
// first copy); "phases NS…" (copies and arithmetic in turn); "tensor NS…" (copies and matrix
// products in turn).
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kThreads = 512, kLaunches = 3, kRounds = 5;
constexpr std::uint64_t kTailNs = 100'000, kBriefNs = 8'000, kLateNs = 50'000;
constexpr std::size_t kBytes = std::size_t{512} << 20;

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "phases_program: %s\n", cudaGetErrorString(error));
    std::exit(9);
}

__device__ std::uint64_t now() {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

/// Copies with the first `threads` threads of each block.
__device__ void copyAll(uint4* to, const uint4* from, std::size_t count, int threads = kThreads) {
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; i < count;
         i += gridDim.x * static_cast<std::size_t>(threads))
        to[i] = from[i];
}

using Sums = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
/// Multiplies 16 x 16 matrices on tensor cores, in two chains per warp.
__device__ void multiply(Sums (&sums)[2], int products) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, row_major> b;
    fill_fragment(a, __float2half(0.5f));
    fill_fragment(b, __float2half(0.25f));
    for (int i = 0; i < products; ++i)
        for (Sums& sum : sums) mma_sync(sum, a, b, sum);
}
/// Keeps the compiler from removing the products; no sum equals -1.
__device__ void use(const Sums (&sums)[2], uint4* to) {
    if (sums[0].x[0] + sums[1].x[0] == -1.0f) to[0].x = 1;
}

/// Copies from start to end.
__global__ void steady(uint4* to, const uint4* from, std::size_t count) {
    copyAll(to, from, count);
}

/// All blocks copy; then the first one goes on alone. `stamps`: latest end of a copy, end.
__device__ void copyAndStay(uint4* to, const uint4* from, std::size_t count,
                            std::uint64_t nanoseconds, unsigned long long* stamps) {
    copyAll(to, from, count);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(stamps, now());
    if (blockIdx.x != 0) return;
    const std::uint64_t begun = now();
    while (now() - begun < nanoseconds) {
    }
    if (threadIdx.x == 0) stamps[1] = now();
}
__global__ void tail(uint4* to, const uint4* from, std::size_t count, unsigned long long* stamps) {
    copyAndStay(to, from, count, kTailNs, stamps);
}
/// Takes about 12 µs.
__global__ void brief(uint4* to, const uint4* from, std::size_t count, unsigned long long* stamps) {
    copyAndStay(to, from, count, kBriefNs, stamps);
}

/// All blocks wait, then copy. `stamps`: start of the first block, first start of a copy.
__global__ void late(uint4* to, const uint4* from, std::size_t count, unsigned long long* stamps) {
    const std::uint64_t begun = now();
    if (threadIdx.x == 0) atomicMin(stamps, begun);
    while (now() - begun < kLateNs) __nanosleep(1000);
    if (threadIdx.x == 0) atomicMin(stamps + 1, now());
    copyAll(to, from, count);
}

/// The whole grid alternates between copies and arithmetic. `stamps`: start and end of each copy.
__global__ void alternating(uint4* to, const uint4* from, std::size_t count, int work,
                            unsigned long long* stamps) {
    const auto grid = cooperative_groups::this_grid();
    const bool first = grid.thread_rank() == 0;
    for (int round = 0; round < kRounds; ++round) {
        if (first) stamps[2 * round] = now();
        copyAll(to, from, count);
        grid.sync();
        if (first) stamps[2 * round + 1] = now();
        float x = threadIdx.x, y = x * 0.5f, z = y + 1, w = z * 0.3f;
        for (int i = 0; i < work; ++i) {
            x = x * y + z;
            y = y * z + w;
            z = z * w + x;
            w = w * x + y;
        }
        if (x + y + z + w == 1.2345f) to[0].x = 1;
        grid.sync();
    }
}

/// The same with tensor cores.
__global__ void tensorTurns(uint4* to, const uint4* from, std::size_t count, int work,
                            unsigned long long* stamps) {
    const auto grid = cooperative_groups::this_grid();
    const bool first = grid.thread_rank() == 0;
    Sums sums[2];
    for (Sums& sum : sums) nvcuda::wmma::fill_fragment(sum, 0.0f);
    for (int round = 0; round < kRounds; ++round) {
        if (first) stamps[2 * round] = now();
        copyAll(to, from, count);
        grid.sync();
        if (first) stamps[2 * round + 1] = now();
        multiply(sums, work);
        grid.sync();
    }
    use(sums, to);
}

/// Half of the warps copy; the others multiply until the copies are done, so there are no phases.
__global__ void specialised(uint4* to, const uint4* from, std::size_t count) {
    constexpr int kCopying = kThreads / 2;
    __shared__ volatile int copied;
    if (threadIdx.x == 0) copied = 0;
    __syncthreads();
    if (threadIdx.x < kCopying) {
        copyAll(to, from, count, kCopying);
        atomicAdd(const_cast<int*>(&copied), 1);
        return;
    }
    Sums sums[2];
    for (Sums& sum : sums) nvcuda::wmma::fill_fragment(sum, 0.0f);
    while (copied < kCopying) multiply(sums, 8);
    use(sums, to);
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0));
    const int sms = device.multiProcessorCount;
    uint4 *to = nullptr, *from = nullptr;
    unsigned long long* stamps = nullptr;
    check(cudaMalloc(&to, kBytes));
    check(cudaMalloc(&from, kBytes));
    check(cudaMemset(from, 0, kBytes));
    std::vector<unsigned long long> told(2 * kRounds);
    check(cudaMalloc(&stamps, told.size() * sizeof told[0]));
    const std::size_t count = kBytes / sizeof(uint4);
    const auto read = [&] {
        check(cudaMemcpy(told.data(), stamps, told.size() * sizeof told[0], cudaMemcpyDefault));
    };

    for (int i = 0; i < kLaunches; ++i) steady<<<4 * sms, kThreads>>>(to, from, count);
    check(cudaDeviceSynchronize());
    std::printf("steady %zu\n", kBytes);
    for (int i = 0; i < kLaunches; ++i) {
        check(cudaMemset(stamps, 0, told.size() * sizeof told[0]));
        tail<<<4 * sms, kThreads>>>(to, from, count / 16, stamps);
        read();
    }
    std::printf("tail %llu\n", told[1] - told[0]);
    for (int i = 0; i < kLaunches; ++i) {
        check(cudaMemset(stamps, 0, told.size() * sizeof told[0]));
        brief<<<sms, kThreads>>>(to, from, std::size_t{sms} * kThreads, stamps);
        read();
    }
    std::printf("brief %llu\n", told[1] - told[0]);
    for (int i = 0; i < kLaunches; ++i) {
        check(cudaMemset(stamps, 0xff, told.size() * sizeof told[0]));
        late<<<4 * sms, kThreads>>>(to, from, count / 2, stamps);
        read();
    }
    std::printf("late %llu\n", told[1] - told[0]);
    std::size_t part = count / 8;
    int work = 4000;
    void* arguments[] = {&to, &from, &part, &work, &stamps};
    for (int i = 0; i < kLaunches; ++i) {
        check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(alternating), dim3(2 * sms),
                                          dim3(kThreads), arguments, 0, nullptr));
        read();
    }
    const auto tell = [&](const char* word) {
        std::printf("%s", word);
        for (int i = 1; i < 2 * kRounds; ++i) std::printf(" %llu", told[i] - told[i - 1]);
        std::printf("\n");
    };
    tell("phases");
    work = 400;
    for (int i = 0; i < kLaunches; ++i) {
        check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(tensorTurns), dim3(2 * sms),
                                          dim3(kThreads), arguments, 0, nullptr));
        read();
    }
    tell("tensor");
    for (int i = 0; i < kLaunches; ++i) specialised<<<2 * sms, kThreads>>>(to, from, count / 2);
    check(cudaDeviceSynchronize());
}
