// SPDX-License-Identifier: Apache-2.0
//
// L1 read bandwidth: every SM repeatedly reads the same few kilobytes of global memory.
//
// Why this reaches the limit: a warp instruction loads 512 bytes, which is four passes through the
// L1's data stage of 128 bytes, so that neither instruction issue nor address arithmetic limits it.
// The buffer is a fraction of the smallest L1, which keeps what ordinary loads read; no shared
// memory is carved out. A compiler would load each address only once, so addresses depend on
// `step`, whose value it does not know.
#include <cuda_runtime.h>

#include <memory>

#include "kernels/buffer_sets.h"
#include "kernels/ceilings/theoretical.h"
#include "kernels/ceilings/wave.cuh"

namespace roofscope::kernels {
namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kPerRound = 8;                           // loads per thread between two branches
constexpr unsigned kRounds = 2048;                          // per launch
constexpr unsigned kShift = 64;                             // words between two loads of a thread
constexpr unsigned kWords = kThreads + kPerRound * kShift;  // 16 KB, read by every block
constexpr unsigned kStep = 1;
constexpr double kBytesPerThread = 16.0 * kPerRound * kRounds;

__global__ void __launch_bounds__(kThreads) l1Read(const uint4* in, unsigned step, unsigned* out) {
    unsigned all = 0;
#pragma unroll 1
    for (unsigned round = 0; round < kRounds; ++round) {
        const uint4* const from = in + threadIdx.x + round * step % kShift;
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
    require(cudaFuncSetAttribute(l1Read, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxL1),
            "setting the shared-memory carve-out to none");
    const unsigned blocks = fullWave(gpu, l1Read, kThreads);
    const auto in = std::make_shared<BufferSets<uint4>>(kWords, 1);
    const auto out = std::make_shared<BufferSets<unsigned>>(std::size_t{blocks} * kThreads, 1);
    Workload workload;
    workload.launch = [=](Stream stream) {
        l1Read<<<blocks, kThreads, 0, stream>>>(in->get(0), kStep, out->get(0));
        requireLaunched("l1_read");
    };
    workload.footprint = kWords * sizeof(uint4);
    workload.work = static_cast<double>(blocks) * kThreads * kBytesPerThread;
    workload.method = "16 bytes per access; all blocks read the same 16 KB";
    return {workload};
}

std::optional<double> theoretical(const ProbeGpu& gpu) {
    return perSm(gpu, perClock(gpu, "l1_bytes"));
}

}  // namespace

namespace probes {
extern const Probe l1_read;
const Probe l1_read{
    .name = "l1_read",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 6,
    .summary = "every SM reads 16 KB that stay in its L1",
    .refusal = neverRefuses,
    .theoretical = theoretical,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
