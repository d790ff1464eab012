// SPDX-License-Identifier: Apache-2.0
//
// DRAM triad bandwidth (STREAM): out = a + s · b on fp32 arrays of at least 20 × L2 each. Two are
// read and one is written; the bytes of all three count.
//
// Why this reaches the limit: see dram_copy; one fused multiply-add per 12 bytes costs nothing.
#include "kernels/ceilings/stream.cuh"

namespace roofscope::kernels {
namespace {

using namespace stream;

template <int PerThread, Hint hint>
__global__ void __launch_bounds__(kThreads)
    dramTriad(const Word* a, const Word* b, Word* out, float s) {
    const std::size_t first = std::size_t{blockIdx.x} * (kThreads * PerThread) + threadIdx.x;
    Word left[PerThread], right[PerThread];
#pragma unroll
    for (int i = 0; i < PerThread; ++i) {
        left[i] = load<hint>(a + first + i * kThreads);
        right[i] = load<hint>(b + first + i * kThreads);
    }
    const auto sum = [s](unsigned x, unsigned y) {
        return __float_as_uint(fmaf(s, __uint_as_float(y), __uint_as_float(x)));
    };
#pragma unroll
    for (int i = 0; i < PerThread; ++i)
        store<hint>(out + first + i * kThreads,
                    make_uint4(sum(left[i].x, right[i].x), sum(left[i].y, right[i].y),
                               sum(left[i].z, right[i].z), sum(left[i].w, right[i].w)));
}

template <int PerThread, Hint hint>
Workload variant(const std::shared_ptr<Arrays>& arrays) {
    return walk<PerThread, hint>(
        arrays, 3, "dram_triad", [](unsigned blocks, const Arrays& a, Stream stream) {
            dramTriad<PerThread, hint>
                <<<blocks, kThreads, 0, stream>>>(a.get(0), a.get(1), a.get(2), 3.0F);
        });
}

std::vector<Workload> make(const ProbeGpu& gpu) {
    const auto arrays = std::make_shared<Arrays>(gpu, 3);
    return {variant<1, Hint::Streaming>(arrays), variant<2, Hint::Streaming>(arrays),
            variant<4, Hint::Streaming>(arrays), variant<8, Hint::Streaming>(arrays),
            variant<2, Hint::None>(arrays),      variant<4, Hint::None>(arrays)};
}

}  // namespace

namespace probes {
extern const Probe dram_triad;
const Probe dram_triad{
    .name = "dram_triad",
    .kind = Ceiling::Kind::Bandwidth,
    .order = 4,
    .summary = "out = a + s·b on fp32 arrays that are far larger than the L2",
    .refusal = neverRefuses,
    .theoretical = dramBytesPerSecond,
    .make = make,
};
}  // namespace probes
}  // namespace roofscope::kernels
