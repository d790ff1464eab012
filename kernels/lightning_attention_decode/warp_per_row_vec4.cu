// SPDX-License-Identifier: Apache-2.0
//
// Lightning attention, one decode step, near the DRAM roof. (decode_step.h says what the operator
// computes.)
//
// What this rung does: one block of 256 threads per (batch, head). A warp takes four rows at a
// time, eight lanes each, so that all lanes work although a row of 96 floats is only 24 accesses of
// 16 bytes. Lanes read 16 bytes each, and the next rows before the current ones are used. Column
// sums stay in registers and are joined by shuffles. See decodeColumns() in row_group_decode.cuh.
//
// The fault: none with enough blocks. At B = 1 there are 64 blocks, fewer than a large GPU's SMs:
// see `split_heads`.
//
// Where it shows: bytes = 32 × sectors, smsp__sass_inst_executed_op_memory_128b, DRAM near its
// roof.
#include "kernels/lightning_attention_decode/row_group_decode.cuh"

namespace roofscope::kernels {
namespace lightning {
namespace {

template <int Width, int Segments, class T>
__global__ void __launch_bounds__(kRowGroupThreads, kRowGroupBlocks<Segments>)
    lightningDecodeWarpPerRow(const T* __restrict__ q, const T* __restrict__ k,
                              const T* __restrict__ v, const float* __restrict__ pastKv,
                              const float* __restrict__ slope, float* __restrict__ newKv,
                              T* __restrict__ out, int heads, int keyWidth, int valueWidth) {
    const std::size_t matrix = blockIdx.x, size = static_cast<std::size_t>(keyWidth) * valueWidth;
    decodeColumns<Width, Segments>(q + matrix * keyWidth, k + matrix * keyWidth,
                                   v + matrix * valueWidth, pastKv + matrix * size,
                                   slope + blockIdx.x % heads, newKv + matrix * size,
                                   out + matrix * valueWidth, keyWidth, valueWidth, 0, valueWidth);
}

void launch(const DecodeArguments& a, Stream stream) {
    withElementType(a, [&]<class T>(TypedArguments<T> t) {
        withRowGroups(a.valueWidth, a.valueWidth, [&](auto width, auto segments) {
            lightningDecodeWarpPerRow<width(), segments()>
                <<<a.matrices(), kRowGroupThreads, 0, stream>>>(t.q, t.k, t.v, a.pastKv, a.slope,
                                                                a.newKv, t.out, a.heads, a.keyWidth,
                                                                a.valueWidth);
        });
    });
    requireLaunched("lightning_attention_decode/warp_per_row_vec4");
}

AccessCounts tally(const BlockView& b) {
    BlockTally block(kRowGroupThreads);
    tallyColumns(block, b, 0, b.valueWidth);
    return block.counts();
}

std::vector<Expectation> expect(const Case& c) {
    return expectDecode(c, tally,
                        {.globalLoadBytes = "B·H·(4·D·E + (2·D + E)·s + 4)",
                         .globalStoreBytes = "B·H·(4·D·E + E·s)",
                         .globalLoadSectors = "B·H·(D·E/8 + (2·D + E)·s/32 + 1)",
                         .globalStoreSectors = "B·H·(D·E/8 + E·s/32)",
                         .sharedLoadWavefronts = "",
                         .sharedStoreWavefronts = "",
                         .streams = true,
                         .operations = 2,
                         .threads = 1});
}

}  // namespace
}  // namespace lightning

namespace rungs {
extern const Rung lightning_attention_decode_warp_per_row_vec4;
const Rung lightning_attention_decode_warp_per_row_vec4{
    .family = "lightning_attention_decode",
    .name = "warp_per_row_vec4",
    .order = 5,
    .summary = "a warp per group of rows, 16-byte accesses, sums in registers: near the DRAM roof",
    .fault = "",
    .cases = lightning::decodeCases,
    .verifyCases = lightning::decodeVerifyCases,
    .refusal = lightning::decodeRefusal,
    .make = lightning::makeDecode<lightning::launch>,
    .expect = lightning::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
