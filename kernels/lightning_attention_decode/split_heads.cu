// SPDX-License-Identifier: Apache-2.0
//
// Lightning attention, one decode step, near the limit at every batch. (decode_step.h says what
// the operator computes.)
//
// What this rung does: the same as `warp_per_row_vec4` while there are enough matrices to fill the
// GPU. With fewer, each matrix is split into slices of 32 columns with a block each. Columns need
// nothing from each other, so the slices need no second pass and no atomics; q and k are read once
// per slice. 32 floats are 128 bytes, so the accesses stay as good as before.
//
// The fault: none.
//
// Where it shows: grid size at B = 1: 192 blocks instead of 64.
#include "kernels/lightning_attention_decode/row_group_decode.cuh"

namespace roofscope::kernels {
namespace lightning {
namespace {

/// Below this many matrices they are split: about one wave of blocks on a GPU with 132 SMs that
/// hold 8 each. A constant, so that the known answers depend on the shape alone.
constexpr int kEnoughBlocks = 1024;

int slices(int matrices, int valueWidth) {
    if (matrices >= kEnoughBlocks) return 1;
    return segmentsOf(valueWidth);
}

/// Columns per block, given the number of slices.
__host__ __device__ int sliceColumns(int sliceCount, int valueWidth) {
    return sliceCount == 1 ? valueWidth : kSegmentColumns;
}

template <int Width, int Segments, class T>
__global__ void __launch_bounds__(kRowGroupThreads, kRowGroupBlocks<Segments>)
    lightningDecodeSplitHeads(const T* __restrict__ q, const T* __restrict__ k,
                              const T* __restrict__ v, const float* __restrict__ pastKv,
                              const float* __restrict__ slope, float* __restrict__ newKv,
                              T* __restrict__ out, int heads, int keyWidth, int valueWidth) {
    const std::size_t matrix = blockIdx.x, size = static_cast<std::size_t>(keyWidth) * valueWidth;
    const int slice = sliceColumns(gridDim.y, valueWidth);
    const int firstColumn = blockIdx.y * slice;
    decodeColumns<Width, Segments>(q + matrix * keyWidth, k + matrix * keyWidth,
                                   v + matrix * valueWidth, pastKv + matrix * size,
                                   slope + blockIdx.x % heads, newKv + matrix * size,
                                   out + matrix * valueWidth, keyWidth, valueWidth, firstColumn,
                                   min(slice, valueWidth - firstColumn));
}

void launch(const DecodeArguments& a, Stream stream) {
    const dim3 grid(a.matrices(), slices(a.matrices(), a.valueWidth));
    withElementType(a, [&]<class T>(TypedArguments<T> t) {
        const int columns = sliceColumns(static_cast<int>(grid.y), a.valueWidth);
        withRowGroups(a.valueWidth, columns, [&](auto width, auto segments) {
            lightningDecodeSplitHeads<width(), segments()>
                <<<grid, kRowGroupThreads, 0, stream>>>(t.q, t.k, t.v, a.pastKv, a.slope, a.newKv,
                                                        t.out, a.heads, a.keyWidth, a.valueWidth);
        });
    });
    requireLaunched("lightning_attention_decode/split_heads");
}

std::vector<Expectation> expect(const Case& c) {
    const int matrices = static_cast<int>(c.shape.at("B") * c.shape.at("H"));
    const auto tally = [matrices](const BlockView& b) {
        const int count = slices(matrices, b.valueWidth);
        const int slice = sliceColumns(count, b.valueWidth);
        BlockTally block(kRowGroupThreads);
        for (int i = 0; i < count; ++i)
            tallyColumns(block, b, i * slice, std::min(slice, b.valueWidth - i * slice));
        return block.counts();
    };
    const int count = slices(matrices, static_cast<int>(c.shape.at("E")));
    const std::string slicesText = "; S slices of a matrix: " + std::to_string(count);
    return expectDecode(c, tally,
                        {.globalLoadBytes = "B·H·(4·D·E + (2·S·D + E)·s + 4·S)" + slicesText,
                         .globalStoreBytes = "B·H·(4·D·E + E·s)",
                         .globalLoadSectors = "B·H·(D·E/8 + (2·S·D + E)·s/32 + S)" + slicesText,
                         .globalStoreSectors = "B·H·(D·E/8 + E·s/32)",
                         .sharedLoadWavefronts = "",
                         .sharedStoreWavefronts = "",
                         .streams = true,
                         .operations = 2,
                         .threads = count});
}

}  // namespace
}  // namespace lightning

namespace rungs {
extern const Rung lightning_attention_decode_split_heads;
const Rung lightning_attention_decode_split_heads{
    .family = "lightning_attention_decode",
    .name = "split_heads",
    .order = 6,
    .summary = "several blocks per head when there are few heads: near the roof at every batch",
    .fault = "",
    .cases = lightning::decodeCases,
    .verifyCases = lightning::decodeVerifyCases,
    .refusal = lightning::decodeRefusal,
    .make = lightning::makeDecode<lightning::launch>,
    .expect = lightning::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
