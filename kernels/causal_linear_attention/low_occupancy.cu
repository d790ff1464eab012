// SPDX-License-Identifier: Apache-2.0
//
// Causal linear attention with a block per column of values, meant for few heads. (causal.h says
// what the operator computes.)
//
// What this rung does: the grid is (M, H, B): a block computes one column of out. For that it needs
// one column of the state, E numbers, held by the lanes of a warp. The eight warps split the
// positions: each adds up k·v over its stretch, gets the sums of earlier warps through shared
// memory, then walks along its stretch again and writes q · state.
//
// The fault: redundant reads. All blocks of a head read the same q and k: q M times and k 2 · M
// times, nearly always from the L2. The L2 becomes the busiest resource while the DRAM is nearly
// idle. The rung fills any GPU but is no faster for it. Accesses are also narrow, 4 bytes per lane,
// but wider ones would move the same bytes through the same L2. The remedy is to keep q and k on
// chip for more than one column: `auto`.
//
// Where it shows: smsp__sass_data_bytes_mem_global_op_ld against dram__bytes_read; L2 bandwidth
// near its roof. Stores by one lane, 4 bytes per sector, look uncoalesced but are few.
#include <cuda_runtime.h>

#include "kernels/causal_linear_attention/causal.h"
#include "kernels/counters.h"
#include "kernels/cuda_failure.h"

namespace roofscope::kernels {
namespace causal {
namespace {

constexpr int kWarps = 8, kWarp = 32;

/// `Rows` rows of the state per lane: E / 32.
template <int Rows>
__global__ void __launch_bounds__(kWarps* kWarp)
    causalLowOccupancy(const float* __restrict__ q, const float* __restrict__ k,
                       const float* __restrict__ v, float* __restrict__ out, int length) {
    constexpr int kKeyWidth = Rows * kWarp;
    __shared__ float sums[kWarps * kKeyWidth];

    const int valueWidth = gridDim.x;
    const std::size_t head = static_cast<std::size_t>(blockIdx.z) * gridDim.y + blockIdx.y;
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
    q += head * length * kKeyWidth + lane;
    k += head * length * kKeyWidth + lane;
    v += head * length * valueWidth + blockIdx.x;
    out += head * length * valueWidth + blockIdx.x;
    const int stretch = (length + kWarps - 1) / kWarps;
    const int first = min(warp * stretch, length), last = min(first + stretch, length);

    float state[Rows] = {};
    for (int l = first; l < last; ++l) {
        const float value = v[static_cast<std::size_t>(l) * valueWidth];
#pragma unroll
        for (int i = 0; i < Rows; ++i)
            state[i] =
                fmaf(k[static_cast<std::size_t>(l) * kKeyWidth + i * kWarp], value, state[i]);
    }
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
        sums[warp * kKeyWidth + i * kWarp + lane] = state[i];
        state[i] = 0.0F;
    }
    __syncthreads();
    for (int before = 0; before < warp; ++before)
#pragma unroll
        for (int i = 0; i < Rows; ++i) state[i] += sums[before * kKeyWidth + i * kWarp + lane];

    for (int l = first; l < last; ++l) {
        const float value = v[static_cast<std::size_t>(l) * valueWidth];
        float sum = 0.0F;
#pragma unroll
        for (int i = 0; i < Rows; ++i) {
            const std::size_t at = static_cast<std::size_t>(l) * kKeyWidth + i * kWarp;
            state[i] = fmaf(k[at], value, state[i]);
            sum = fmaf(q[at], state[i], sum);
        }
#pragma unroll
        for (int distance = kWarp / 2; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(0xFFFFFFFFu, sum, distance);
        if (lane == 0) out[static_cast<std::size_t>(l) * valueWidth] = sum;
    }
}

void launch(const CausalArguments& a, Stream stream) {
    const auto kernel = a.keyWidth == 32   ? causalLowOccupancy<1>
                        : a.keyWidth == 64 ? causalLowOccupancy<2>
                                           : causalLowOccupancy<4>;
    const dim3 grid(a.valueWidth, a.heads, a.batch);
    kernel<<<grid, kWarps * kWarp, 0, stream>>>(a.q, a.k, a.v, a.out, a.length);
    requireLaunched("causal_linear_attention/low_occupancy");
}

std::vector<Expectation> expect(const Case& c) {
    const auto L = static_cast<double>(c.shape.at("L")), E = static_cast<double>(c.shape.at("E"));
    const auto blocks = static_cast<double>(c.shape.at("B") * c.shape.at("H") * c.shape.at("M"));
    // Warp w adds up the sums of w warps: 0 + 1 + … + 7.
    constexpr double kSumsRead = kWarps * (kWarps - 1) / 2.0;
    return {
        // Rows of k (twice) and q are whole sectors; all lanes read the same number of v (twice).
        {counter::kGlobalLoadBytes, blocks * L * (12 * E + 8), 0, "B·H·M·L·(3·4·E + 2·4)"},
        {counter::kGlobalLoadSectors, blocks * L * (3 * E / 8 + 2), 0, "B·H·M·L·(3·E/8 + 2)"},
        {counter::kGlobalStoreBytes, 4 * blocks * L, 0, "4·B·H·M·L"},
        {counter::kGlobalStoreSectors, blocks * L, 0, "B·H·M·L: one sector per stored value"},
        {counter::kSharedLoadWavefronts, blocks * kSumsRead * E / kWarp, 0, "B·H·M·28·E/32"},
        {counter::kSharedStoreWavefronts, blocks * kWarps * E / kWarp, 0, "B·H·M·8·E/32"},
        {counter::kFp32Fma, blocks * 3 * L * E, 0, "B·H·M·3·L·E"},
        // Additions are left out: the compiler leaves the last one of each sum to the lane that
        // stores.
        {counter::kFp32Mul, 0, 0, "none"},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"},
    };
}

}  // namespace
}  // namespace causal

namespace rungs {
extern const Rung causal_linear_attention_low_occupancy;
const Rung causal_linear_attention_low_occupancy{
    .family = "causal_linear_attention",
    .name = "low_occupancy",
    .order = 2,
    .summary =
        "a block per column of values: fills the GPU but reads q and k again for every column",
    .fault = "redundant-read",
    .cases = causal::causalCases,
    .verifyCases = causal::causalVerifyCases,
    .refusal = causal::causalRefusal,
    .make = causal::makeCausal<causal::launch>,
    .expect = causal::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
