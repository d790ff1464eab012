// SPDX-License-Identifier: Apache-2.0
//
// Causal linear attention, split to fit the GPU. (causal.h says what the operator computes.)
//
// What this rung does: with enough heads there is one launch. A block per head walks along the
// positions with the state in registers, as in `block_per_head`, but each number read from shared
// memory is used for many products (state_walk.cuh). With few heads for the number of SMs,
// positions are split into segments, with three launches: all segments but the last compute what
// they add to the state; a running sum over segments gives each one's starting state; all segments
// walk and write out. That takes half as many operations more and reads k and v twice, but keeps
// all SMs busy.
//
// The fault: none. For (16, 16, 1024) with E = M = 64 the operations and the minimum traffic take
// about the same time on an H200: 64 µs at the FP32 roof, 63 µs at what a copy reaches.
//
// Where it shows: FP32 pipe and issue slots well used; each byte of q, k, v read once from DRAM.
#include <algorithm>

#include "kernels/causal_linear_attention/causal.h"
#include "kernels/causal_linear_attention/state_walk.cuh"
#include "kernels/counters.h"
#include "kernels/cuda_failure.h"

namespace roofscope::kernels {
namespace causal {
namespace {

/// Positions are split if an SM would otherwise have at most this many warps: two of its four
/// schedulers would have none, which costs more than the additional operations.
constexpr int kMaxWarpsToSplit = 2;
/// Warps per SM that a split aims at: as many as registers allow, at most four per scheduler.
int targetWarps(int keyWidth) { return keyWidth == 128 ? 8 : 16; }

int groupsOf(int keyWidth) {
    return keyWidth == 128 ? kGroups<128> : keyWidth == 64 ? kGroups<64> : kGroups<32>;
}

/// Warps that walk along positions if these are not split.
std::int64_t warpsWithoutSplit(std::int64_t matrices, int keyWidth, int valueWidth) {
    return matrices * (valueWidth / kLaneColumns * groupsOf(keyWidth) / kWarp);
}

struct Split {
    int segments = 1, positions = 0;  ///< per head; positions per segment, except for the last
};

Split splitOf(const CausalArguments& a) {
    const std::int64_t warps = warpsWithoutSplit(a.matrices(), a.keyWidth, a.valueWidth);
    const int tile = tilePositions(a.keyWidth, a.valueWidth);
    const std::int64_t tiles = (a.length + tile - 1) / tile;
    if (warps > kMaxWarpsToSplit * a.multiprocessors) return {1, a.length};
    const std::int64_t wanted = (targetWarps(a.keyWidth) * a.multiprocessors + warps - 1) / warps;
    const std::int64_t perSegment = (tiles + wanted - 1) / wanted;
    const std::int64_t segments = (tiles + perSegment - 1) / perSegment;
    return {static_cast<int>(segments), static_cast<int>(perSegment * tile)};
}

/// Memory for the states between segments.
std::size_t workspace(const CausalArguments& a) {
    return static_cast<std::size_t>(a.matrices()) * (splitOf(a).segments - 1) * a.keyWidth *
           a.valueWidth;
}

template <int E, int M>
void launchWidths(const CausalArguments& a, Stream stream) {
    constexpr int kSumThreads = 128;
    const Split split = splitOf(a);
    const Walk walk{.q = a.q,
                    .k = a.k,
                    .v = a.v,
                    .out = a.out,
                    .states = a.workspace,
                    .length = a.length,
                    .segments = split.segments,
                    .segmentPositions = split.positions};
    if (split.segments > 1) {
        const int states = split.segments - 1;
        causalWalk<E, M, false><<<a.matrices() * states, kWalkThreads<E, M>, 0, stream>>>(walk);
        requireLaunched("causal_linear_attention/auto, sums of segments");
        const dim3 grid(E * M / kSumThreads, a.matrices());
        causalSumStates<<<grid, kSumThreads, 0, stream>>>(a.workspace, states, E * M);
        requireLaunched("causal_linear_attention/auto, running sum");
    }
    causalWalk<E, M, true><<<a.matrices() * split.segments, kWalkThreads<E, M>, 0, stream>>>(walk);
    requireLaunched("causal_linear_attention/auto");
}

template <int E>
void launchKeyWidth(const CausalArguments& a, Stream stream) {
    const auto launchBoth = a.valueWidth == 32   ? launchWidths<E, 32>
                            : a.valueWidth == 64 ? launchWidths<E, 64>
                                                 : launchWidths<E, 128>;
    launchBoth(a, stream);
}

void launch(const CausalArguments& a, Stream stream) {
    const auto launchKeys = a.keyWidth == 32   ? launchKeyWidth<32>
                            : a.keyWidth == 64 ? launchKeyWidth<64>
                                               : launchKeyWidth<128>;
    launchKeys(a, stream);
}

std::vector<Expectation> expect(const Case& c) {
    std::vector<Expectation> list{{counter::kLocalBytes, 0, 0, "no spills, no local arrays"}};
    // Whether positions are split depends on the GPU. With this many heads no GPU so far splits
    // them, so there is only one launch, which writes out in whole sectors. All reads are
    // asynchronous copies to shared memory, which not all load counters see.
    constexpr std::int64_t kMostSms = 256;
    const std::int64_t matrices = c.shape.at("B") * c.shape.at("H");
    const auto E = static_cast<int>(c.shape.at("E")), M = static_cast<int>(c.shape.at("M"));
    if (warpsWithoutSplit(matrices, E, M) <= kMaxWarpsToSplit * kMostSms) return list;
    const auto heads = static_cast<double>(matrices);
    const double numbers = heads * static_cast<double>(c.shape.at("L")) * M;
    list.push_back({counter::kGlobalStoreBytes, 4 * numbers, 0, "4·B·H·L·M"});
    list.push_back({counter::kGlobalStoreSectors, numbers / 8, 0, "B·H·L·M/8"});
    // Positions are processed a few at a time; missing ones at the end count as well.
    const int groups = groupsOf(static_cast<int>(E)), step = positionsAtATime(E);
    const auto padded = static_cast<double>((c.shape.at("L") + step - 1) / step * step);
    const std::string text =
        ", G = " + std::to_string(groups) + ", L' = L rounded up to " + std::to_string(step);
    // Each lane's sums begin with a product.
    const double first = static_cast<double>(M) * groups;
    list.push_back({counter::kFp32Fma, heads * padded * (2.0 * E * M - first), 0,
                    "B·H·L'·(2·E·M − M·G)" + text});
    list.push_back({counter::kFp32Mul, heads * padded * first, 0, "B·H·L'·M·G" + text});
    // A lane exchanges three times per position, and with eight groups once more for both positions
    // of a pair.
    const double exchanges = groups == 8 ? 3.5 : 3.0;
    list.push_back({counter::kFp32Add, heads * padded * first / kLaneColumns * exchanges, 0,
                    (groups == 8 ? "B·H·L'·M·G/4·7/2" : "B·H·L'·M·G/4·3") + text});
    return list;
}

}  // namespace
}  // namespace causal

namespace rungs {
extern const Rung causal_linear_attention_auto;
const Rung causal_linear_attention_auto{
    .family = "causal_linear_attention",
    .name = "auto",
    .order = 3,
    .summary =
        "state in registers, many products per operand; few heads: positions split across blocks",
    .fault = "",
    .cases = causal::causalCases,
    .verifyCases = causal::causalVerifyCases,
    .refusal = causal::causalRefusal,
    .make = causal::makeCausal<causal::launch, causal::workspace>,
    .expect = causal::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
