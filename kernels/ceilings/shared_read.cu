// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory read bandwidth: every block reads its shared memory, over and over.
//
// Why this reaches the limit: a warp loads 512 consecutive bytes with one instruction, four trips
// through the data stage of 128 bytes each without a bank conflict, so that neither instruction
// issue nor address arithmetic can limit it. The loads are volatile assembly: a compiler would load
// each address once.
#include <cuda_runtime.h>

#include <memory>

#include "kernels/buffer_sets.h"
#include "kernels/ceilings/theoretical.h"
#include "kernels/ceilings/wave.cuh"

namespace roofscope::kernels {
namespace {

constexpr unsigned kThreads = 512;
constexpr int kPerRound = 8;   // loads of a thread between two branches
constexpr int kRounds = 2048;  // per launch
constexpr double kBytesPerThread = 16.0 * kPerRound * kRounds;

__device__ inline uint4 loadShared(unsigned from) {
    uint4 word;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "r"(from));
    return word;
}

__global__ void __launch_bounds__(kThreads) sharedRead(unsigned* out) {
    __shared__ uint4 tile[kThreads];
    const unsigned own = threadIdx.x * 2654435761U;
    tile[threadIdx.x] = make_uint4(own, ~own, own * 3, own * 5);
    __syncthreads();
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
    unsigned all = 0;
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
        uint4 words[kPerRound];
#pragma unroll
        for (int i = 0; i < kPerRound; ++i) words[i] = loadShared(from);
#pragma unroll
        for (int i = 0; i < kPerRound; ++i)
            all ^= words[i].x ^ words[i].y ^ words[i].z ^ words[i].w;
    }
    out[std::size_t{blockIdx.x} * kThreads + threadIdx.x] = all;
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    const unsigned blocks = fullWave(gpu, sharedRead, kThreads);
    const auto out = std::make_shared<BufferSets<unsigned>>(std::size_t{blocks} * kThreads, 1);
    Workload workload;
    workload.launch = [=](Stream stream) {
        sharedRead<<<blocks, kThreads, 0, stream>>>(out->get(0));
        requireLaunched("shared_read");
    };
    workload.footprint = kThreads * sizeof(uint4);
    workload.work = static_cast<double>(blocks) * kThreads * kBytesPerThread;
    workload.method = "16 bytes per access without bank conflicts, 8 KB per block";
    return {workload};
}

std::optional<double> theoretical(const ProbeGpu& gpu) { return perSm(gpu, l1BytesPerClock(gpu)); }

}  // namespace

namespace probes {
extern const Probe shared_read;
const Probe shared_read{
    .name = "shared_read",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 7,
    .summary = "every block reads 8 KB of shared memory",
    .refusal = refusesNothing,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
