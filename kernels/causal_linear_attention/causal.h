// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/rung.h"

/// The operator that every rung of this family computes: linear attention in which a position sees
/// itself and what came before.
///
///     state[l]     = Σ_{i ≤ l} k[i,:]ᵀ v[i,:]        an E × M matrix per batch and head
///     out[b,h,l,:] = q[b,h,l,:] · state[l]
///
/// There is no normaliser. B batch, H heads, L positions, E key width, M value width. q, k
/// [B,H,L,E], v and out [B,H,L,M], all f32 and dense, last extent fastest. E and M are 32, 64 or
/// 128. (b, h) is called a head below: heads need nothing from each other.
namespace roofscope::kernels::causal {

/// Largest key or value width.
inline constexpr int kMaxWidth = 128;

/// Device pointers and extents of one call. The arrays do not overlap and start at multiples of 16
/// bytes.
struct CausalArguments {
    const float* q = nullptr;
    const float* k = nullptr;
    const float* v = nullptr;
    float* out = nullptr;
    float* workspace = nullptr;  ///< As many floats as the rung's WorkspaceSize asked for.
    int batch = 0, heads = 0, length = 0, keyWidth = 0, valueWidth = 0;
    int multiprocessors = 0;  ///< SMs of the current device.

    /// Matrices of state in all.
    [[nodiscard]] int matrices() const { return batch * heads; }
};

using Launcher = void (*)(const CausalArguments&, Stream);
/// How many floats of workspace a launch of these extents takes. Pointers are not looked at.
using WorkspaceSize = std::size_t (*)(const CausalArguments&);

/// (B, H, L) = (16, 16, 1024), the default, (4, 8, 1024) and (1, 8, 4096) with E = M = 64; the
/// first with E = M = 32 and 128, too.
[[nodiscard]] std::vector<Case> causalCases();
/// Odd and tiny lengths, one head, all widths, few heads and many.
[[nodiscard]] std::vector<Case> causalVerifyCases();
/// Why the family does not support a case, or empty.
[[nodiscard]] std::string causalRefusal(const Case& c);
/// Buffers and random inputs for `c`, launched by `launch`; `workspace` may be null.
[[nodiscard]] std::unique_ptr<Instance> makeCausalInstance(const Case& c, std::uint64_t seed,
                                                           Launcher launch,
                                                           WorkspaceSize workspace);
/// makeCausalInstance() in the form that Rung::make wants.
template <Launcher Launch, WorkspaceSize Workspace = nullptr>
[[nodiscard]] std::unique_ptr<Instance> makeCausal(const Case& c, std::uint64_t seed) {
    return makeCausalInstance(c, seed, Launch, Workspace);
}
/// Bytes that every implementation must move: q, k and v in, out out.
[[nodiscard]] double minimumTraffic(const Case& c);
/// A case; extents in the order of the family.
[[nodiscard]] Case causalCase(std::int64_t batch, std::int64_t heads, std::int64_t length,
                              std::int64_t keyWidth, std::int64_t valueWidth);

}  // namespace roofscope::kernels::causal
