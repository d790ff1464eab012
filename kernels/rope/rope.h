// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/rung.h"

/// The operator of all rungs of this family: rotary position embedding (Su et al. 2021) in the NeoX
/// layout, where element i of a row pairs with element i + D/2, i < D/2:
///
///     angle[n,i]       = n · 10000^(−2·i/D)
///     out[b,n,i]       = q[b,n,i] · cos angle − q[b,n,i + D/2] · sin angle
///     out[b,n,i + D/2] = q[b,n,i + D/2] · cos angle + q[b,n,i] · sin angle
///
/// q and out [B,N,D] in f32, dense. Frequencies are rounded to f32, and angles are their f32
/// products with n, as is usual; the reference uses the same angles. At N = 8192 they are up to
/// 2.4e-4 off the exact ones.
namespace roofscope::kernels::rope {

/// Device pointers and extents of one call. The arrays do not overlap.
struct RopeArguments {
    const float* q = nullptr;
    const float* frequencies = nullptr;  ///< D/2
    const float* cosines = nullptr;      ///< [N,D]; null for the rungs that compute them.
    const float* sines = nullptr;        ///< [N,D]; likewise.
    float* out = nullptr;
    float* scratch[2] = {};  ///< B·N·D elements each, for the chain of launches.
    int batch = 0, positions = 0, width = 0;

    [[nodiscard]] std::int64_t elements() const { return std::int64_t{batch} * positions * width; }
};

using Launcher = void (*)(const RopeArguments&, Stream);

/// B = 128, N = 8192, D = 128: 512 MiB per array.
[[nodiscard]] std::vector<Case> ropeCases();
/// Odd and tiny extents, and the full range of positions.
[[nodiscard]] std::vector<Case> ropeVerifyCases();
/// Why the family does not support a case, or empty.
[[nodiscard]] std::string ropeRefusal(const Case& c);
/// Buffers and random inputs for `c`, launched by `launch`; with `tables` also the tables and
/// intermediate arrays.
[[nodiscard]] std::unique_ptr<Instance> makeRopeInstance(const Case& c, std::uint64_t seed,
                                                         Launcher launch, bool tables);
/// makeRopeInstance() in the form that Rung::make wants.
template <Launcher Launch, bool Tables = false>
[[nodiscard]] std::unique_ptr<Instance> makeRope(const Case& c, std::uint64_t seed) {
    return makeRopeInstance(c, seed, Launch, Tables);
}

}  // namespace roofscope::kernels::rope
