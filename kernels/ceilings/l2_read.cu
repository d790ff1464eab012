// SPDX-License-Identifier: Apache-2.0
//
// L2 read bandwidth: all SMs repeatedly read a buffer that fits well into the L2.
//
// Why this reaches the limit: as many threads as fit are resident, each with 4 loads of 16 bytes
// in flight. Loads are ld.global.cg, which the L1 does not cache. Blocks start at different
// places, because one answer of the L2 could serve SMs that request the same line at the same
// time. Only a small part of the L2 is used, because the L2 of large chips keeps two copies of
// lines that both halves request. The first launch loads the buffer, later ones find it in the
// L2.
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
constexpr int kPieces = 512;                        // per block and launch

__global__ void __launch_bounds__(kThreads)
    l2Read(const uint4* buffer, unsigned pieces, uint4* out) {
    // A stride that is coprime to powers of two spreads the blocks over the buffer.
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
    // The buffer is all ones, and an even number of them cancels out: nothing is stored, but the
    // compiler cannot know that.
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
    workload.method = "16-byte loads that bypass the L1 (ld.global.cg), all SMs in one buffer of " +
                      std::string("1/") + std::to_string(partOfL2) + " of the L2";
    return workload;
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    return {variant(gpu, 4), variant(gpu, 8), variant(gpu, 16)};
}

std::string refusal(const ProbeGpu& gpu) {
    return gpu.l2Bytes > 0 ? std::string() : "the driver does not report the size of the L2";
}

}  // namespace

namespace probes {
extern const Probe l2_read;
const Probe l2_read{
    .name = "l2_read",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 5,
    .summary = "all SMs read a buffer that fits into the L2, bypassing the L1",
    .refusal = refusal,
    .theoretical = unknownRate,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
