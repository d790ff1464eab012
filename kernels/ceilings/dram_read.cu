// SPDX-License-Identifier: Apache-2.0
//
// DRAM read bandwidth: each launch loads every byte of an array of at least 20 × L2 once.
//
// Why this reaches the limit: each thread has up to 8 loads of 16 bytes in flight, and thousands of
// threads run on each SM. That is far more than latency × bandwidth needs, and nothing is written.
// The array is read from front to back, so that at the next launch only its end is in the L2. The
// loaded words are combined, and a store that depends on all of them keeps the compiler from
// removing loads.
#include "kernels/ceilings/stream.cuh"

namespace roofscope::kernels {
namespace {

using namespace stream;

template <int PerThread, Hint hint>
__global__ void __launch_bounds__(kThreads) dramRead(const Word* in, Word* never) {
    const std::size_t first = std::size_t{blockIdx.x} * (kThreads * PerThread) + threadIdx.x;
    Word words[PerThread];
#pragma unroll
    for (int i = 0; i < PerThread; ++i) words[i] = load<hint>(in + first + i * kThreads);
    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < PerThread; ++i) all ^= words[i].x ^ words[i].y ^ words[i].z ^ words[i].w;
    // True for about one in four billion threads; the store does no harm.
    if (all == 0x12345678U) *never = words[0];
}

template <int PerThread, Hint hint>
Workload variant(const std::shared_ptr<Arrays>& arrays) {
    return walk<PerThread, hint>(
        arrays, 1, "dram_read", [](unsigned blocks, const Arrays& a, Stream stream) {
            dramRead<PerThread, hint><<<blocks, kThreads, 0, stream>>>(a.get(0), a.get(0));
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
extern const Probe dram_read;
const Probe dram_read{
    .name = "dram_read",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 1,
    .summary = "reads an array that is far larger than the L2",
    .refusal = neverRefuses,
    .theoretical = dramBytesPerSecond,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
