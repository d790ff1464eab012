// SPDX-License-Identifier: Apache-2.0
//
// DRAM write bandwidth: each launch stores every byte of an array of at least 20 × L2 once.
//
// Why this reaches the limit: stores wait for nothing, and whole 128-byte lines are written, so
// that the L2 need not read what it replaces. What remains in the L2 is written out during the next
// launch: launches are timed back to back, so that each pays for as much as it leaves.
#include "kernels/ceilings/stream.cuh"

namespace roofscope::kernels {
namespace {

using namespace stream;

template <int PerThread, Hint hint>
__global__ void __launch_bounds__(kThreads) dramWrite(Word* out) {
    const std::size_t first = std::size_t{blockIdx.x} * (kThreads * PerThread) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < PerThread; ++i) store<hint>(out + first + i * kThreads, noise(first + i));
}

template <int PerThread, Hint hint>
Workload variant(const std::shared_ptr<Arrays>& arrays) {
    return walk<PerThread, hint>(
        arrays, 1, "dram_write", [](unsigned blocks, const Arrays& a, Stream stream) {
            dramWrite<PerThread, hint><<<blocks, kThreads, 0, stream>>>(a.get(0));
        });
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    const auto arrays = std::make_shared<Arrays>(gpu, 1);
    return {variant<1, Hint::Streaming>(arrays), variant<2, Hint::Streaming>(arrays),
            variant<4, Hint::Streaming>(arrays), variant<8, Hint::Streaming>(arrays),
            variant<2, Hint::None>(arrays),      variant<4, Hint::None>(arrays)};
}

}  // namespace

namespace probes {
extern const Probe dram_write;
const Probe dram_write{
    .name = "dram_write",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 2,
    .summary = "fills an array that is far larger than the L2",
    .refusal = neverRefuses,
    .theoretical = dramBytesPerSecond,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
