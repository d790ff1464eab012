// SPDX-License-Identifier: Apache-2.0
//
// L2 read bandwidth: all SMs read a buffer that fits well into the L2, over and over.
//
// Why this reaches the limit: all threads that fit are resident, each with 4 loads of 16 bytes
// under way. Loads are marked ld.global.cg, which the L1 does not keep, so that none of them ends
// there. Blocks begin in different places: SMs that ask for the same line at the same time could be
// served by one answer of the L2. A small part of the L2 is used, because the L2 of large chips
// keeps two copies of what both halves ask for. The first launch brings the buffer in, later ones
// find it.
#include <cuda_runtime.h>

#include <memory>

#include "kernels/buffer_sets.h"
#include "kernels/ceilings/theoretical.h"
#include "kernels/ceilings/wave.cuh"

namespace roofscope::kernels {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kPerThread = 4;
constexpr unsigned kPiece = kThreads * kPerThread;  // words that a block reads at a time
constexpr int kPieces = 512;                        // of them per block and launch

__global__ void __launch_bounds__(kThreads)
    l2Read(const uint4* buffer, unsigned pieces, uint4* out) {
    // A stride that shares no factor with a power of two spreads the blocks over the buffer.
    unsigned piece = static_cast<unsigned>((std::size_t{blockIdx.x} * 40503U) % pieces);
    unsigned all = 0;
#pragma unroll 2
    for (int i = 0; i < kPieces; ++i) {
        const uint4* const from = buffer + std::size_t{piece} * kPiece + threadIdx.x;
        uint4 words[kPerThread];
#pragma unroll
        for (unsigned w = 0; w < kPerThread; ++w) words[w] = __ldcg(from + w * kThreads);
#pragma unroll
        for (unsigned w = 0; w < kPerThread; ++w)
            all ^= words[w].x ^ words[w].y ^ words[w].z ^ words[w].w;
        if (++piece == pieces) piece = 0;
    }
    // The buffer is all ones, an even number of which cancel out: this stores nothing, which the
    // compiler cannot know.
    if (all != 0) out[0] = make_uint4(all, all, all, all);
}

Workload variant(const ProbeGpu& gpu, std::size_t partOfL2) {
    constexpr std::size_t kPieceBytes = kPiece * sizeof(uint4);
    const std::size_t pieces = std::max<std::size_t>(gpu.l2Bytes / partOfL2 / kPieceBytes, 1);
    const auto buffer = std::make_shared<BufferSets<uint4>>(pieces * kPiece, 1);
    const unsigned blocks = fullWave(gpu, l2Read, kThreads);
    Workload workload;
    workload.launch = [=](Stream stream) {
        l2Read<<<blocks, kThreads, 0, stream>>>(buffer->get(0), static_cast<unsigned>(pieces),
                                                buffer->get(0));
        requireLaunched("l2_read");
    };
    workload.footprint = pieces * kPieceBytes;
    workload.work = static_cast<double>(blocks) * kPieces * kPieceBytes;
    workload.method = "16 bytes per access past the L1 (ld.global.cg), all SMs in one buffer of " +
                      std::string("1/") + std::to_string(partOfL2) + " of the L2";
    return workload;
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    return {variant(gpu, 4), variant(gpu, 8), variant(gpu, 16)};
}

std::string refusal(const ProbeGpu& gpu) {
    return gpu.l2Bytes > 0 ? std::string() : "the driver does not say how large the L2 is";
}

}  // namespace

namespace probes {
extern const Probe l2_read;
const Probe l2_read{
    .name = "l2_read",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 5,
    .summary = "all SMs read a buffer that fits into the L2, past the L1",
    .refusal = refusal,
    .theoretical = unknownRate,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
