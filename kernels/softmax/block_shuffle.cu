// SPDX-License-Identifier: Apache-2.0
//
// Softmax with a block per row, held in registers. (softmax.h says what the operator computes.)
//
// What this rung does: 256 to 1024 threads, depending on the length of the row, read it once with
// 16-byte accesses and keep it in registers. Maximum and sum are reduced by shuffles within each
// warp and then once across warps: two barriers in all.
//
// The fault: none.
//
// Where it shows: bytes = 32 × sectors, each byte read once, DRAM near its roof.
#include "kernels/softmax/row_on_chip.cuh"

namespace roofscope::kernels {
namespace softmax {
namespace {

template <int Width, int Items, int Threads>
__global__ void __launch_bounds__(Threads)
    softmaxBlockShuffle(const float* __restrict__ x, float* __restrict__ out, int columns) {
    __shared__ float warpMost[Threads / kWarp], warpSum[Threads / kWarp];
    const std::size_t start = std::size_t{blockIdx.x} * columns;
    RowPart<Width, Items, Threads> part;
    part.load(x + start, columns, threadIdx.x);
    const float most = reduceBlock<Threads>(part.largest(), kNothing, warpMost, Larger{});
    const float sum = reduceBlock<Threads>(part.exponentiate(most), 0.0F, warpSum, Sum{});
    part.store(out + start, columns, threadIdx.x, 1.0F / sum);
}

void launch(const SoftmaxArguments& a, Stream stream) {
    withRowBlocks(a.columns, [&](auto width, auto items, auto threads) {
        softmaxBlockShuffle<width(), items(), threads()>
            <<<static_cast<unsigned>(a.rows), threads(), 0, stream>>>(a.x, a.out, a.columns);
    });
    requireLaunched("softmax/block_shuffle");
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
extern const Rung softmax_block_shuffle;
const Rung softmax_block_shuffle{
    .family = "softmax",
    .name = "block_shuffle",
    .order = 4,
    .summary = "rows in the registers of a block, shuffles, two barriers: near the DRAM roof",
    .fault = "",
    .cases = softmax::softmaxCases,
    .verifyCases = softmax::softmaxVerifyCases,
    .refusal = softmax::softmaxRefusal,
    .make = softmax::makeSoftmax<softmax::launch>,
    .expect = softmax::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
