// SPDX-License-Identifier: Apache-2.0
//
// Softmax with a warp per row, for rows of up to 1024 columns. (softmax.h says what the operator
// computes.)
//
// What this rung does: a warp reads its row once with 16-byte accesses, up to 128 bytes per lane,
// keeps it in registers and reduces it by shuffles: no shared memory, no barrier.
//
// The fault: none. Longer rows do not fit into the registers of a warp: see `block_shuffle`.
//
// Where it shows: bytes = 32 × sectors, each byte read once, DRAM near its roof.
#include "kernels/softmax/row_on_chip.cuh"

namespace roofscope::kernels {
namespace softmax {
namespace {

constexpr int kThreads = 256, kRowsPerBlock = kThreads / kWarp;
constexpr int kFewItems = 8, kManyItems = 32;
constexpr int kMaxWarpColumns = kManyItems * kWarp;

template <int Width, int Items>
__global__ void __launch_bounds__(kThreads)
    softmaxWarpPerRow(const float* __restrict__ x, float* __restrict__ out, std::size_t rows,
                      int columns) {
    const std::size_t row = std::size_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / kWarp;
    if (row >= rows) return;
    const int lane = threadIdx.x % kWarp;
    RowPart<Width, Items, kWarp> part;
    part.load(x + row * columns, columns, lane);
    const float most = reduceWarp(part.largest(), Larger{});
    const float sum = reduceWarp(part.exponentiate(most), Sum{});
    part.store(out + row * columns, columns, lane, 1.0F / sum);
}

template <int Width>
void launchRows(const SoftmaxArguments& a, Stream stream) {
    const auto blocks = static_cast<unsigned>((a.rows + kRowsPerBlock - 1) / kRowsPerBlock);
    const auto kernel = a.columns <= kFewItems * kWarp ? softmaxWarpPerRow<Width, kFewItems>
                                                       : softmaxWarpPerRow<Width, kManyItems>;
    kernel<<<blocks, kThreads, 0, stream>>>(a.x, a.out, static_cast<std::size_t>(a.rows),
                                            a.columns);
    requireLaunched("softmax/warp_per_row");
}

void launch(const SoftmaxArguments& a, Stream stream) {
    rowsAreWide(a.columns) ? launchRows<4>(a, stream) : launchRows<1>(a, stream);
}

Case rowsCase(std::int64_t rows, std::int64_t columns) {
    return {.shape = {{"rows", rows}, {"cols", columns}}, .dtype = DType::F32};
}
std::vector<Case> cases() { return {rowsCase(65536, 1024)}; }
std::vector<Case> verifyCases() {
    return {rowsCase(1, 1),      rowsCase(7, 3),     rowsCase(13, 33),
            rowsCase(1000, 4),   rowsCase(9, 255),   rowsCase(301, 256),
            rowsCase(300, 1000), rowsCase(17, 1023), rowsCase(65, 1024)};
}
std::string refusal(const Case& c) { return refuseLongRows(c, kMaxWarpColumns); }

std::vector<Expectation> expect(const Case& c) {
    return expectRows(
        c, [](std::int64_t row, int columns) { return tallyRowOnce(row, columns, kWarp); }, "",
        true);
}

}  // namespace
}  // namespace softmax

namespace rungs {
extern const Rung softmax_warp_per_row;
const Rung softmax_warp_per_row{
    .family = "softmax",
    .name = "warp_per_row",
    .order = 3,
    .summary = "rows of up to 1024 columns in a warp's registers, shuffles: near the DRAM roof",
    .fault = "",
    .cases = softmax::cases,
    .verifyCases = softmax::verifyCases,
    .refusal = softmax::refusal,
    .make = softmax::makeSoftmax<softmax::launch>,
    .expect = softmax::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
