// SPDX-License-Identifier: Apache-2.0
//
// Joining two attention states with 16-byte accesses. (merge.h says what the operator computes.)
//
// What this rung does: [T,H,S] is divided into 16-byte pieces, one per thread. A block takes 512 of
// them, from several heads. Each thread has 32 bytes and its log-sum-exps in flight before it
// computes. A piece's row, token and head are computed by multiplications (divisor.h), because
// 32-bit divisions cost more than all other arithmetic of the kernel.
//
// The fault: none for many tokens. With few (T = 512) the launch takes only a few microseconds.
//
// Where it shows: bytes = 32 × sectors for the tensors, accesses counted as 128 bit, DRAM near its
// roof.
#include "kernels/counters.h"
#include "kernels/divisor.h"
#include "kernels/dram_expectation.h"
#include "kernels/merge_attn_states/merge_weights.cuh"

namespace roofscope::kernels {
namespace merge {
namespace {

constexpr int kThreads = 512, kPieceBytes = 16;

/// 16 bytes of a row.
template <class T>
struct alignas(kPieceBytes) Piece {
    T at[kPieceBytes / sizeof(T)];
};

template <class T>
__global__ void __launch_bounds__(kThreads)
    mergeVec16B(const Piece<T>* __restrict__ prefix, const Piece<T>* __restrict__ suffix,
                const float* __restrict__ prefixLse, const float* __restrict__ suffixLse,
                Piece<T>* __restrict__ out, float* __restrict__ outLse, unsigned pieces,
                unsigned tokens, Divisor heads, Divisor piecesPerRow) {
    const unsigned i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= pieces) return;
    const Piece<T> a = prefix[i], b = suffix[i];
    const unsigned row = piecesPerRow.quotient(i), token = heads.quotient(row);
    const unsigned lseAt = (row - token * heads.value()) * tokens + token;
    const Weights w = weigh(prefixLse[lseAt], suffixLse[lseAt]);
    Piece<T> joined;
#pragma unroll
    for (int e = 0; e < static_cast<int>(kPieceBytes / sizeof(T)); ++e)
        joined.at[e] = mix(w, a.at[e], b.at[e]);
    out[i] = joined;
    if (outLse != nullptr && i == row * piecesPerRow.value()) outLse[lseAt] = w.lse();
}

std::int64_t piecesPerRow(std::int64_t width, DType dtype) {
    return width * static_cast<std::int64_t>(elementBytes(dtype)) / kPieceBytes;
}

void launch(const MergeArguments& m, Stream stream) {
    const std::int64_t perRow = piecesPerRow(m.width, m.dtype), pieces = m.rows() * perRow;
    const auto blocks = static_cast<unsigned>((pieces + kThreads - 1) / kThreads);
    withElementType(m, [&]<class T>(const T* prefix, const T* suffix, T* out) {
        mergeVec16B<T><<<blocks, kThreads, 0, stream>>>(
            reinterpret_cast<const Piece<T>*>(prefix), reinterpret_cast<const Piece<T>*>(suffix),
            m.prefixLse, m.suffixLse, reinterpret_cast<Piece<T>*>(out), m.outLse,
            static_cast<unsigned>(pieces), static_cast<unsigned>(m.tokens),
            Divisor(static_cast<unsigned>(m.heads)), Divisor(static_cast<unsigned>(perRow)));
    });
    requireLaunched("merge_attn_states/vec16B");
}

std::string refusal(const Case& c) {
    const std::string family = mergeRefusal(c);
    if (!family.empty()) return family;
    const auto bytes = c.shape.at("S") * static_cast<std::int64_t>(elementBytes(c.dtype));
    if (bytes % kPieceBytes == 0) return {};
    return "rows of " + std::to_string(bytes) + " bytes are not a multiple of 16";
}

std::vector<Expectation> expect(const Case& c) {
    const std::int64_t tokens = c.shape.at("T"), heads = c.shape.at("H");
    const std::int64_t perRow = piecesPerRow(c.shape.at("S"), c.dtype), rows = tokens * heads;
    const bool lse = c.shape.at("lse") != 0;
    std::vector<Expectation> list{{counter::kLocalBytes, 0, 0, "no spills, no local arrays"}};
    // Every row is within one warp, so that each log-sum-exp counts once.
    if (32 % perRow == 0) {
        const auto count = static_cast<double>(rows);
        const double bytes = static_cast<double>(rows * perRow) * kPieceBytes;
        list.push_back({counter::kGlobalLoadBytes, 2 * (bytes + 4 * count), 0, "2·T·H·(S·s + 4)"});
        list.push_back({counter::kGlobalStoreBytes, bytes + (lse ? 4 * count : 0), 0,
                        lse ? "T·H·(S·s + 4)" : "T·H·S·s"});
        // A warp's rows are from different heads, whose log-sum-exps are at least T − 1 apart.
        const bool apart = 32 / perRow <= heads && tokens > 8;
        const auto sectors = static_cast<double>((rows * perRow + 1) / 2);
        if (apart)
            list.push_back(
                {counter::kGlobalLoadSectors, 2 * (sectors + count), 0, "2·(⌈T·H·S·s/32⌉ + T·H)"});
        if (apart || !lse)
            list.push_back({counter::kGlobalStoreSectors, sectors + (lse ? count : 0), 0,
                            lse ? "⌈T·H·S·s/32⌉ + T·H" : "⌈T·H·S·s/32⌉"});
    }
    const Traffic traffic = minimumTraffic(c);
    expectDram(list, traffic.read, traffic.written, "2·T·H·(S·s + 4)",
               lse ? "T·H·(S·s + 4)" : "T·H·S·s");
    return list;
}

}  // namespace
}  // namespace merge

namespace rungs {
extern const Rung merge_attn_states_vec16B;
const Rung merge_attn_states_vec16B{
    .family = "merge_attn_states",
    .name = "vec16B",
    .order = 2,
    .summary = "16 bytes per access, several heads per block: near the DRAM roof for many tokens",
    .fault = "",
    .cases = merge::mergeCases,
    .verifyCases = merge::mergeVerifyCases,
    .refusal = merge::refusal,
    .make = merge::makeMerge<merge::launch>,
    .expect = merge::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
