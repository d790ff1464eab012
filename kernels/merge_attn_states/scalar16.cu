// SPDX-License-Identifier: Apache-2.0
//
// Joining two attention states, one element per thread. (merge.h says what the operator computes.)
//
// What this rung does: one block per token and head, one thread per element: two loads of 2 bytes
// (4 in f32), one store. Each thread computes the weights of its row.
//
// The fault: narrow accesses and tiny blocks. A thread has 4 bytes in flight, and a block of 32 to
// 128 threads takes less time than its start.
//
// Where it shows: bytes = 32 × sectors for the tensors, all their accesses counted as 16 bit, DRAM
// far below its roof; S threads per block, T·H blocks.
#include "kernels/access_tally.h"
#include "kernels/counters.h"
#include "kernels/dram_expectation.h"
#include "kernels/merge_attn_states/merge_weights.cuh"

namespace roofscope::kernels {
namespace merge {
namespace {

template <class T>
__global__ void mergeScalar16(const T* __restrict__ prefix, const T* __restrict__ suffix,
                              const float* __restrict__ prefixLse,
                              const float* __restrict__ suffixLse, T* __restrict__ out,
                              float* __restrict__ outLse) {
    const unsigned token = blockIdx.x, head = blockIdx.y, heads = gridDim.y;
    const unsigned row = head * gridDim.x + token;  // of the log-sum-exps
    const unsigned i = (token * heads + head) * blockDim.x + threadIdx.x;
    const Weights w = weigh(prefixLse[row], suffixLse[row]);
    out[i] = mix(w, prefix[i], suffix[i]);
    if (outLse != nullptr && threadIdx.x == 0) outLse[row] = w.lse();
}

void launch(const MergeArguments& a, Stream stream) {
    const dim3 grid(static_cast<unsigned>(a.tokens), static_cast<unsigned>(a.heads));
    withElementType(a, [&](auto prefix, auto suffix, auto out) {
        mergeScalar16<<<grid, a.width, 0, stream>>>(prefix, suffix, a.prefixLse, a.suffixLse, out,
                                                    a.outLse);
    });
    requireLaunched("merge_attn_states/scalar16");
}

std::vector<Case> verifyCases() {
    std::vector<Case> cases = mergeVerifyCases();
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
        cases.push_back(mergeCase(5, 3, 33, dtype));
        cases.push_back(mergeCase(2, 1, 1, dtype));
    }
    return cases;
}

std::vector<Expectation> expect(const Case& c) {
    const std::int64_t rows = c.shape.at("T") * c.shape.at("H"), width = c.shape.at("S");
    const int size = static_cast<int>(elementBytes(c.dtype));
    const bool lse = c.shape.at("lse") != 0;
    // Rows start at multiples of 2 bytes: their position within a sector repeats every 16 rows.
    constexpr std::int64_t kPeriod = 16;
    AccessCounts total;
    for (std::int64_t r = 0; r < std::min(rows, kPeriod); ++r) {
        BlockTally block(static_cast<int>(width));
        const auto element = [&](int t) { return (r * width + t) * size; };
        for (int part = 0; part < 2; ++part) {
            block.globalLoad(4, [](int) { return std::int64_t{0}; });  // one word per warp
            block.globalLoad(size, element);
        }
        block.globalStore(size, element);
        if (lse) block.globalStore(4, [](int t) { return t == 0 ? std::int64_t{0} : kInactive; });
        total.add(block.counts(), static_cast<double>((rows - r + kPeriod - 1) / kPeriod));
    }
    const std::string text = lse ? " + 1)" : ")";
    std::vector<Expectation> list{
        {counter::kGlobalLoadBytes, total.globalLoadBytes, 0, "2·T·H·(S·s + 4·⌈S/32⌉)"},
        {counter::kGlobalStoreBytes, total.globalStoreBytes, 0, lse ? "T·H·(S·s + 4)" : "T·H·S·s"},
        {counter::kGlobalLoadSectors, total.globalLoadSectors, 0,
         "2·T·H·(S·s/32 + ⌈S/32⌉), for rows of whole sectors"},
        {counter::kGlobalStoreSectors, total.globalStoreSectors, 0,
         "T·H·(S·s/32" + text + ", for rows of whole sectors"},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"},
    };
    const Traffic traffic = minimumTraffic(c);
    expectDram(list, traffic.read, traffic.written, "2·T·H·(S·s + 4)",
               lse ? "T·H·(S·s + 4)" : "T·H·S·s");
    return list;
}

}  // namespace
}  // namespace merge

namespace rungs {
extern const Rung merge_attn_states_scalar16;
const Rung merge_attn_states_scalar16{
    .family = "merge_attn_states",
    .name = "scalar16",
    .order = 1,
    .summary = "a block per token and head, one element per thread: 2-byte accesses",
    .fault = "global-narrow-access",
    .cases = merge::mergeCases,
    .verifyCases = merge::verifyCases,
    .refusal = merge::mergeRefusal,
    .make = merge::makeMerge<merge::launch>,
    .expect = merge::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
