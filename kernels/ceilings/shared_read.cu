// SPDX-License-Identifier: Apache-2.0
//
// Shared-memory read bandwidth: every block repeatedly reads its shared memory.
//
// Why this reaches the limit: a warp instruction loads 512 consecutive bytes, which is four passes
// through the data stage of 128 bytes without a bank conflict, so that neither instruction issue
// nor address arithmetic limits it. A compiler would load each address only once, so addresses
// depend on `step`, whose value it does not know.
#include <cuda_runtime.h>

#include <memory>

#include "kernels/buffer_sets.h"
#include "kernels/ceilings/theoretical.h"
#include "kernels/ceilings/wave.cuh"

namespace roofscope::kernels {
namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kPerRound = 8;   // loads per thread between two branches
constexpr unsigned kRounds = 2048;  // per launch
constexpr unsigned kShift = 64;     // words between two loads of a thread
constexpr unsigned kWords = kThreads + kPerRound * kShift;
constexpr unsigned kStep = 1;
constexpr double kBytesPerThread = 16.0 * kPerRound * kRounds;

__global__ void __launch_bounds__(kThreads) sharedRead(unsigned step, unsigned* out) {
    __shared__ uint4 tile[kWords];
    for (unsigned i = threadIdx.x; i < kWords; i += kThreads) {
        const unsigned own = i * 2654435761U;
        tile[i] = make_uint4(own, ~own, own * 3, own * 5);
    }
    __syncthreads();
    unsigned all = 0;
#pragma unroll 1
    for (unsigned round = 0; round < kRounds; ++round) {
        const uint4* const from = tile + threadIdx.x + round * step % kShift;
        uint4 words[kPerRound];
#pragma unroll
        for (unsigned i = 0; i < kPerRound; ++i) words[i] = from[i * kShift];
#pragma unroll
        for (unsigned i = 0; i < kPerRound; ++i)
            all ^= words[i].x ^ words[i].y ^ words[i].z ^ words[i].w;
    }
    out[std::size_t{blockIdx.x} * kThreads + threadIdx.x] = all;
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    const unsigned blocks = fullWave(gpu, sharedRead, kThreads);
    const auto out = std::make_shared<BufferSets<unsigned>>(std::size_t{blocks} * kThreads, 1);
    Workload workload;
    workload.launch = [=](Stream stream) {
        sharedRead<<<blocks, kThreads, 0, stream>>>(kStep, out->get(0));
        requireLaunched("shared_read");
    };
    workload.footprint = kWords * sizeof(uint4);
    workload.work = static_cast<double>(blocks) * kThreads * kBytesPerThread;
    workload.method = "16 bytes per access without bank conflicts, 16 KB per block";
    return {workload};
}

std::optional<double> theoretical(const ProbeGpu& gpu) {
    return perSm(gpu, perClock(gpu, "l1_bytes"));
}

}  // namespace

namespace probes {
extern const Probe shared_read;
const Probe shared_read{
    .name = "shared_read",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 7,
    .summary = "every block reads 16 KB of shared memory",
    .refusal = neverRefuses,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
