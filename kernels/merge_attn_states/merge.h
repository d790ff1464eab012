// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/rung.h"

/// The operator of all rungs of this family: joins attention over a prefix and over a suffix of the
/// keys to attention over both, using their log-sum-exps.
///
///     m            = max(prefix_lse[h,t], suffix_lse[h,t])
///     p            = exp(prefix_lse[h,t] − m)
///     s            = exp(suffix_lse[h,t] − m)
///     out[t,h,:]   = (p · prefix_out[t,h,:] + s · suffix_out[t,h,:]) / (p + s)
///     out_lse[h,t] = m + log(p + s)        only if the shape says lse=1
///
/// A log-sum-exp of +∞ counts as −∞: no key was seen. If neither part saw a key, out is 0 and
/// out_lse is −∞. T tokens, H heads, S head size; prefix_out, suffix_out, out [T,H,S] in f32, f16
/// or bf16; log-sum-exps [H,T] in f32; all dense, last extent fastest.
namespace roofscope::kernels::merge {

/// Device pointers and extents of one call. The arrays do not overlap.
struct MergeArguments {
    const void* prefix = nullptr;
    const void* suffix = nullptr;
    const float* prefixLse = nullptr;
    const float* suffixLse = nullptr;
    void* out = nullptr;
    float* outLse = nullptr;  ///< Null if it is not requested.
    std::int64_t tokens = 0;
    int heads = 0, width = 0;
    DType dtype = DType::F32;

    /// The number of rows of `width` elements.
    [[nodiscard]] std::int64_t rows() const { return tokens * heads; }
};

using Launcher = void (*)(const MergeArguments&, Stream);

/// T ∈ {65536, 4096, 512}, H = 16, S ∈ {128, 64, 32} in bf16; the largest also in f16 and f32.
[[nodiscard]] std::vector<Case> mergeCases();
/// Odd and tiny extents in all types; rows are multiples of 16 bytes.
[[nodiscard]] std::vector<Case> mergeVerifyCases();
/// Why the family does not support a case, or empty.
[[nodiscard]] std::string mergeRefusal(const Case& c);
/// Buffers and random inputs for `c`, launched by `launch`.
[[nodiscard]] std::unique_ptr<Instance> makeMergeInstance(const Case& c, std::uint64_t seed,
                                                          Launcher launch);
/// makeMergeInstance() in the form that Rung::make wants.
template <Launcher Launch>
[[nodiscard]] std::unique_ptr<Instance> makeMerge(const Case& c, std::uint64_t seed) {
    return makeMergeInstance(c, seed, Launch);
}

/// Bytes that every implementation must read and write.
struct Traffic {
    double read = 0, written = 0;
};
[[nodiscard]] Traffic minimumTraffic(const Case& c);
/// A case; types and extents in the order of the family.
[[nodiscard]] Case mergeCase(std::int64_t tokens, std::int64_t heads, std::int64_t width,
                             DType dtype, bool lse = true);

}  // namespace roofscope::kernels::merge
