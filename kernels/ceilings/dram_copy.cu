// SPDX-License-Identifier: Apache-2.0
//
// DRAM copy bandwidth: each launch reads one array of at least 20 × L2 and writes another, both
// once; the bytes of both count.
//
// Why this reaches the limit: see dram_read and dram_write. It is below both, because memory loses
// time whenever it turns from reading to writing.
#include "kernels/ceilings/stream.cuh"

namespace roofscope::kernels {
namespace {

using namespace stream;

template <int PerThread, Hint hint>
__global__ void __launch_bounds__(kThreads) dramCopy(const Word* in, Word* out) {
    const std::size_t first = std::size_t{blockIdx.x} * (kThreads * PerThread) + threadIdx.x;
    Word words[PerThread];
#pragma unroll
    for (int i = 0; i < PerThread; ++i) words[i] = load<hint>(in + first + i * kThreads);
#pragma unroll
    for (int i = 0; i < PerThread; ++i) store<hint>(out + first + i * kThreads, words[i]);
}

template <int PerThread, Hint hint>
Workload variant(const std::shared_ptr<Arrays>& arrays) {
    return walk<PerThread, hint>(
        arrays, 2, "dram_copy", [](unsigned blocks, const Arrays& a, Stream stream) {
            dramCopy<PerThread, hint><<<blocks, kThreads, 0, stream>>>(a.get(0), a.get(1));
        });
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    const auto arrays = std::make_shared<Arrays>(gpu, 2);
    return {variant<1, Hint::Streaming>(arrays), variant<2, Hint::Streaming>(arrays),
            variant<4, Hint::Streaming>(arrays), variant<8, Hint::Streaming>(arrays),
            variant<2, Hint::None>(arrays),      variant<4, Hint::None>(arrays)};
}

}  // namespace

namespace probes {
extern const Probe dram_copy;
const Probe dram_copy{
    .name = "dram_copy",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 3,
    .summary = "copies an array that is far larger than the L2",
    .refusal = neverRefuses,
    .theoretical = dramBytesPerSecond,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
