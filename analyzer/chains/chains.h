// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Launches that hand arrays to each other through DRAM although one launch could do it all.
struct LaunchChain {
    std::vector<std::uint32_t> launches;  ///< indices into Profile::launches, ascending; at least 2
};

/// What fusing its chain would spare one launch.
struct ChainMember {
    std::uint32_t chain = 0;  ///< index into Chains::chains
    double readBytes = 0;     ///< that an earlier launch of the chain wrote
    double writeBytes = 0;    ///< that only launches of the chain read
};

struct Chains {
    bool recorded = false;  ///< the profile says of some launch which buffers it was given
    std::vector<LaunchChain> chains;
    std::unordered_map<std::uint32_t, ChainMember> members;  ///< by launch
    /// Launches that are limited by the DRAM and whose buffers and directions are known.
    std::unordered_set<std::uint32_t> judged;
    /// Launches that are limited by the DRAM, like the one before or after them in their stream,
    /// but whose buffers were not recorded.
    std::unordered_set<std::uint32_t> undecided;
};

/// Finds the chains among all launches of a profile. `groups` hold the quantities of every launch.
/// Linear in the number of launches.
///
/// Launch B is linked to launch A when, in one stream of one process:
/// - A is the last launch that may have written a buffer that B reads (same pointer), by the
///   declarations of both kernels (analyzer/chains/buffer_access.h);
/// - A, B and all launches between them are limited by the DRAM and known in the same way, and B
///   comes at most 8 launches after A;
/// - more bytes than the L2 holds are certainly handed over: the least of what A stored there, what
///   B loaded from there, and the size of the buffer;
/// - they can be fused: directly after each other, one of the two is elementwise (it folds into the
///   other's stores or loads); further apart, A is elementwise and either so is all between them,
///   or A's inputs are still what they were.
///
/// A launch that comes again with the same buffers while what it reads is unchanged (a warm-up, a
/// benchmark) is linked to nothing through that buffer: its input was made once.
///
/// Nor are launches of two rounds of a loop, which are two or more launches that come three times
/// or more in the same order: fusing its body leaves what one round hands to the next.
///
/// Elementwise is known by name (PyTorch) or by counters: no shared or local memory, coalesced, and
/// no more bytes loaded than stored for each input. A linked launch spares the bytes it reads; the
/// one that wrote them spares the write too, unless a launch that is not linked reads them.
[[nodiscard]] Chains findChains(const Profile& profile, std::span<const KernelAnalysis> groups);

/// DRAM is what the kernel waits for: the busiest resource, at 60 % or more of what can be
/// attained, or at 40 % and ahead of all others by 10 points.
[[nodiscard]] bool isDramLimited(const KernelAnalysis& kernel);

}  // namespace roofscope
