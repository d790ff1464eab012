// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/rung.h"

/// The operator of all rungs of this family: linear attention in which a position sees itself and
/// earlier ones.
///
///     state[l]     = Σ_{i ≤ l} k[i,:]ᵀ v[i,:]        an E × M matrix per batch and head
///     out[b,h,l,:] = q[b,h,l,:] · state[l]
///
/// There is no normaliser. B batch, H heads, L positions, E key width, M value width. q, k
/// [B,H,L,E], v and out [B,H,L,M], all f32 and dense, last extent fastest. E and M are 32, 64 or
/// 128. Below, (b, h) is called a head: heads are independent of each other.
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
    float* workspace = nullptr;  ///< As many floats as the rung's WorkspaceSize says.
    int batch = 0, heads = 0, length = 0, keyWidth = 0, valueWidth = 0;
    int multiprocessors = 0;  ///< SMs of the current device.

    /// The number of state matrices.
    [[nodiscard]] int matrices() const { return batch * heads; }
};

using Launcher = void (*)(const CausalArguments&, Stream);
/// Floats of workspace that a launch of these extents needs. Pointers are not used.
using WorkspaceSize = std::size_t (*)(const CausalArguments&);

/// (B, H, L) = (16, 16, 1024), the default, (4, 8, 1024) and (1, 8, 4096) with E = M = 64; the
/// first also with E = M = 32 and 128.
[[nodiscard]] std::vector<Case> causalCases();
/// Odd and tiny lengths, one head, all widths, few heads and many.
[[nodiscard]] std::vector<Case> causalVerifyCases();
/// Why the family does not support a case; empty if it does.
[[nodiscard]] std::string causalRefusal(const Case& c);
/// Buffers and random inputs for `c`, launched by `launch`; `workspace` may be null.
[[nodiscard]] std::unique_ptr<Instance> makeCausalInstance(const Case& c, std::uint64_t seed,
                                                           Launcher launch,
                                                           WorkspaceSize workspace);
/// makeCausalInstance() in the form of Rung::make.
template <Launcher Launch, WorkspaceSize Workspace = nullptr>
[[nodiscard]] std::unique_ptr<Instance> makeCausal(const Case& c, std::uint64_t seed) {
    return makeCausalInstance(c, seed, Launch, Workspace);
}
/// Bytes that every implementation must move: reads q, k and v, writes out.
[[nodiscard]] double minimumTraffic(const Case& c);
/// A case; extents in the order of the family.
[[nodiscard]] Case causalCase(std::int64_t batch, std::int64_t heads, std::int64_t length,
                              std::int64_t keyWidth, std::int64_t valueWidth);

}  // namespace roofscope::kernels::causal
