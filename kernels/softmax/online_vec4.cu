// SPDX-License-Identifier: Apache-2.0
//
// Softmax with a running maximum and sum. (softmax.h says what the operator computes.)
//
// What this rung does: like `block_shuffle`, but each thread takes exponentials relative to the
// maximum of its own elements, and maxima and sums are joined together (Milakov and Gimelshein
// 2018): (m₁, s₁) and (m₂, s₂) give m = max(m₁, m₂), s = s₁·exp(m₁ − m) + s₂·exp(m₂ − m). That
// takes one reduction and one barrier instead of two, so that a block waits less between loads and
// stores. The exponentials stay in registers and only need one more factor.
//
// The fault: none.
//
// Where it shows: bytes = 32 × sectors, each byte read once, DRAM near its roof.
#include "kernels/softmax/row_on_chip.cuh"

namespace roofscope::kernels {
namespace softmax {
namespace {

/// Maximum and sum of exp(x − maximum) of some elements.
struct Running {
    float most, sum;
};

__device__ Running join(Running a, Running b) {
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}

__device__ Running joinWarp(Running r) {
#pragma unroll
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
        r = join(r, {__shfl_xor_sync(0xFFFFFFFFu, r.most, distance),
                     __shfl_xor_sync(0xFFFFFFFFu, r.sum, distance)});
    return r;
}

template <int Width, int Items, int Threads>
__global__ void __launch_bounds__(Threads)
    softmaxOnlineVec4(const float* __restrict__ x, float* __restrict__ out, int columns) {
    constexpr int kWarps = Threads / kWarp;
    __shared__ Running perWarp[kWarps];
    const std::size_t start = std::size_t{blockIdx.x} * columns;
    RowPart<Width, Items, Threads> part;
    part.load(x + start, columns, threadIdx.x);

    // A thread without elements holds only kNothing. Its sum counts exp(0) for each, but is
    // multiplied by exp(−∞) = 0 when joined.
    const float own = part.largest();
    const float ownSum = part.exponentiate(own);
    const int lane = threadIdx.x % kWarp;
    const Running ofWarp = joinWarp({own, ownSum});
    if (lane == 0) perWarp[threadIdx.x / kWarp] = ofWarp;
    __syncthreads();
    const Running all = joinWarp(lane < kWarps ? perWarp[lane] : Running{kNothing, 0.0F});

    part.store(out + start, columns, threadIdx.x, __expf(own - all.most) / all.sum);
}

void launch(const SoftmaxArguments& a, Stream stream) {
    withRowBlocks(a.columns, [&](auto width, auto items, auto threads) {
        softmaxOnlineVec4<width(), items(), threads()>
            <<<static_cast<unsigned>(a.rows), threads(), 0, stream>>>(a.x, a.out, a.columns);
    });
    requireLaunched("softmax/online_vec4");
}

std::vector<Expectation> expect(const Case& c) {
    return expectRows(
        c,
        [](std::int64_t row, int columns) {
            return tallyRowOnce(row, columns, blockThreads(columns));
        },
        "", true);
}

}  // namespace
}  // namespace softmax

namespace rungs {
extern const Rung softmax_online_vec4;
const Rung softmax_online_vec4{
    .family = "softmax",
    .name = "online_vec4",
    .order = 5,
    .summary = "running maximum and sum joined in one reduction: near the DRAM roof",
    .fault = "",
    .cases = softmax::softmaxCases,
    .verifyCases = softmax::softmaxVerifyCases,
    .refusal = softmax::softmaxRefusal,
    .make = softmax::makeSoftmax<softmax::launch>,
    .expect = softmax::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
