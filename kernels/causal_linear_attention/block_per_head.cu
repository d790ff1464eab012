// SPDX-License-Identifier: Apache-2.0
//
// Causal linear attention, the obvious first version. (causal.h says what the operator
// computes.)
//
// What this rung does: a block per head walks along the positions one by one. The state, an E × M
// matrix, is in registers: a thread has 16 rows of one column, so that M · E / 16 threads cover it.
// Eight positions of q, k and v at a time are copied to shared memory. Each thread adds k·v to its
// rows and multiplies them by q; the partial sums of the E / 16 threads of a column are joined in
// shared memory.
//
// The fault: the grid has B·H blocks for any length. A model with 8 heads and a small batch uses
// 32 of an H200's 132 SMs, for as long as the longest sequence takes. The default case (B = 4, H
// = 8) is like that. Also, all operands of the products come from shared memory, 4 bytes at a
// time.
//
// Where it shows: grid size compared with the number of SMs; minimum and mean sm__cycles_active.
#include <cuda_runtime.h>

#include <utility>

#include "kernels/causal_linear_attention/causal.h"
#include "kernels/counters.h"
#include "kernels/cuda_failure.h"

namespace roofscope::kernels {
namespace causal {
namespace {

/// Rows of the state per thread, and positions per copy to shared memory.
constexpr int kRows = 16, kTile = 8;

/// `Parts` = E / kRows threads share a column; M · Parts threads per block.
template <int Parts>
__global__ void __launch_bounds__(kMaxWidth* Parts)
    causalBlockPerHead(const float* __restrict__ q, const float* __restrict__ k,
                       const float* __restrict__ v, float* __restrict__ out, int length,
                       int valueWidth) {
    constexpr int kKeyWidth = kRows * Parts;
    __shared__ float tileOfQ[kTile * kKeyWidth], tileOfK[kTile * kKeyWidth];
    __shared__ float tileOfV[kTile * kMaxWidth], partial[kTile * Parts * kMaxWidth];

    const std::size_t start = static_cast<std::size_t>(blockIdx.x) * length;
    q += start * kKeyWidth;
    k += start * kKeyWidth;
    v += start * valueWidth;
    out += start * valueWidth;
    const int thread = threadIdx.x, threads = blockDim.x;
    const int column = thread % valueWidth, part = thread / valueWidth;

    // Row part + i · Parts of the state: all threads of a warp read the same words of q and k.
    float state[kRows] = {};
    for (int left = length; left > 0; left -= kTile) {
        const int count = min(kTile, left);
        __syncthreads();  // the previous tile has been read
        for (int i = thread; i < count * kKeyWidth; i += threads) {
            tileOfQ[i] = q[i];
            tileOfK[i] = k[i];
        }
        for (int i = thread; i < count * valueWidth; i += threads) tileOfV[i] = v[i];
        __syncthreads();
        for (int t = 0; t < count; ++t) {
            const float value = tileOfV[t * valueWidth + column];
            float sum = 0.0F;
#pragma unroll
            for (int i = 0; i < kRows; ++i) {
                const int at = t * kKeyWidth + part + i * Parts;
                state[i] = fmaf(tileOfK[at], value, state[i]);
                sum = fmaf(tileOfQ[at], state[i], sum);
            }
            partial[t * threads + thread] = sum;
        }
        __syncthreads();
        for (int i = thread; i < count * valueWidth; i += threads) {
            const int t = i / valueWidth, m = i - t * valueWidth;
            float sum = partial[t * threads + m];
#pragma unroll
            for (int p = 1; p < Parts; ++p) sum += partial[t * threads + p * valueWidth + m];
            out[i] = sum;
        }
        q += kTile * kKeyWidth;
        k += kTile * kKeyWidth;
        v += kTile * valueWidth;
        out += kTile * valueWidth;
    }
}

template <int Parts>
void launchParts(const CausalArguments& a, Stream stream) {
    causalBlockPerHead<Parts><<<a.matrices(), a.valueWidth * Parts, 0, stream>>>(
        a.q, a.k, a.v, a.out, a.length, a.valueWidth);
}

void launch(const CausalArguments& a, Stream stream) {
    const auto launchWidth = a.keyWidth == 32   ? launchParts<2>
                             : a.keyWidth == 64 ? launchParts<4>
                                                : launchParts<8>;
    launchWidth(a, stream);
    requireLaunched("causal_linear_attention/block_per_head");
}

/// (B, H, L) = (4, 8, 1024) first: fewer heads than a large GPU has SMs.
std::vector<Case> cases() {
    std::vector<Case> list = causalCases();
    std::swap(list[0], list[1]);
    return list;
}

std::vector<Expectation> expect(const Case& c) {
    const auto positions = static_cast<double>(c.shape.at("B") * c.shape.at("H") * c.shape.at("L"));
    const auto E = static_cast<double>(c.shape.at("E")), M = static_cast<double>(c.shape.at("M"));
    // Rows are multiples of 128 bytes: each warp that copies is full and touches whole sectors, and
    // each bank once. Operands of products: one word for the whole warp.
    const double warps = E * M / kRows / 32;  // per block, each with kRows rows of 32 columns
    return {
        {counter::kGlobalLoadBytes, 4 * positions * (2 * E + M), 0, "4·B·H·L·(2·E + M)"},
        {counter::kGlobalLoadSectors, positions * (2 * E + M) / 8, 0, "B·H·L·(2·E + M)/8"},
        {counter::kGlobalStoreBytes, 4 * positions * M, 0, "4·B·H·L·M"},
        {counter::kGlobalStoreSectors, positions * M / 8, 0, "B·H·L·M/8"},
        {counter::kSharedLoadWavefronts, positions * warps * (2 * kRows + 1 + 1), 0,
         "B·H·L·W·(2·16 + 2), W = E·M/512 warps; the last 1 is E/16 partial sums in M/32 warps"},
        {counter::kSharedStoreWavefronts, positions * ((2 * E + M) / 32 + warps), 0,
         "B·H·L·((2·E + M)/32 + W), W = E·M/512 warps"},
        {counter::kFp32Fma, 2 * positions * E * M, 0, "2·B·H·L·E·M"},
        {counter::kFp32Add, positions * M * (E / kRows - 1), 0, "B·H·L·M·(E/16 − 1)"},
        {counter::kFp32Mul, 0, 0, "none"},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"},
    };
}

}  // namespace
}  // namespace causal

namespace rungs {
extern const Rung causal_linear_attention_block_per_head;
const Rung causal_linear_attention_block_per_head{
    .family = "causal_linear_attention",
    .name = "block_per_head",
    .order = 1,
    .summary = "a block per head, state in registers: with few heads most SMs are idle",
    .fault = "grid-too-small",
    .cases = causal::cases,
    .verifyCases = causal::causalVerifyCases,
    .refusal = causal::causalRefusal,
    .make = causal::makeCausal<causal::launch>,
    .expect = causal::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
