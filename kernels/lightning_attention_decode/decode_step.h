// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/access_tally.h"
#include "kernels/rung.h"

/// The operator of all rungs of this family: one decode step of linear attention with a decaying
/// state ("lightning attention").
///
///     new_kv[b,h,d,e] = exp(−slope[h]) · past_kv[b,h,d,e] + k[b,h,d] · v[b,h,e]
///     out[b,h,e]      = Σ_d q[b,h,d] · new_kv[b,h,d,e]
///
/// B batch, H heads, D key width, E value width. q, k [B,H,1,D]; v, out [B,H,1,E] in f32 or bf16;
/// past_kv, new_kv [B,H,D,E] and slope [H] in f32; all dense, last extent fastest.
namespace roofscope::kernels::lightning {

/// Largest key or value width: early rungs give each of 128 threads a row or column.
inline constexpr int kMaxWidth = 128;

/// Device pointers and extents of one step. `q`, `k`, `v` and `out` have element type `dtype`.
struct DecodeArguments {
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    const float* pastKv = nullptr;
    const float* slope = nullptr;
    float* newKv = nullptr;
    void* out = nullptr;
    int batch = 0, heads = 0, keyWidth = 0, valueWidth = 0;
    DType dtype = DType::F32;

    /// The number of matrices, i.e. of past_kv.
    [[nodiscard]] int matrices() const { return batch * heads; }
};

using Launcher = void (*)(const DecodeArguments&, Stream);

/// B ∈ {64 (the default), 1, 4, 16, 256}, H = 64, D = E = 96, in bf16 and f32.
[[nodiscard]] std::vector<Case> decodeCases();
/// Small batches of the default shape, odd, tiny, thin and largest shapes, in both types.
[[nodiscard]] std::vector<Case> decodeVerifyCases();
/// Why the family does not support a case, or empty.
[[nodiscard]] std::string decodeRefusal(const Case& c);
/// Buffers and random inputs for `c`, launched by `launch`.
[[nodiscard]] std::unique_ptr<Instance> makeDecodeInstance(const Case& c, std::uint64_t seed,
                                                           Launcher launch);
/// makeDecodeInstance() in the form that Rung::make wants.
template <Launcher Launch>
[[nodiscard]] std::unique_ptr<Instance> makeDecode(const Case& c, std::uint64_t seed) {
    return makeDecodeInstance(c, seed, Launch);
}
/// Bytes that every implementation must move: reads past_kv, q, k, v; writes new_kv and out.
[[nodiscard]] double minimumTraffic(const Case& c);

/// The extents of a case and the addresses of one block's tensors, for tallies.
struct BlockView {
    int keyWidth = 0, valueWidth = 0;           ///< D, E
    int elementBytes = 4;                       ///< of q, k, v, out
    std::int64_t q = 0, k = 0, v = 0, out = 0;  ///< byte addresses of this head's rows
    std::int64_t kv = 0;                        ///< byte address of this head's past_kv and new_kv
    std::int64_t slope = 0;                     ///< byte address of this head's slope
};

/// The known answers' formulas as text, for D and E that are multiples of 32, with s bytes per
/// element of q, k, v, out, and W(n) = ⌈n/32⌉ warps.
struct DecodeFormulas {
    std::string globalLoadBytes, globalStoreBytes, globalLoadSectors, globalStoreSectors;
    /// Empty: the counter is left out.
    std::string sharedLoadWavefronts, sharedStoreWavefronts;
    /// Whether each byte of past_kv and new_kv crosses DRAM once, so that DRAM traffic is known.
    bool streams = false;
    /// Fused multiply-adds per element of new_kv. Those of the exponential come in addition, in
    /// each of `threads` threads of a block; the tolerance allows for them.
    double operations = 0;
    int threads = 0;
};

/// Sums `tally` over all blocks of a case (one per matrix) and assigns the counters.
[[nodiscard]] std::vector<Expectation> expectDecode(
    const Case& c, const std::function<AccessCounts(const BlockView&)>& tally,
    const DecodeFormulas& formulas);

}  // namespace roofscope::kernels::lightning
