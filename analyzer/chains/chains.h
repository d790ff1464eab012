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

/// What fusing its chain would save one launch.
struct ChainMember {
    std::uint32_t chain = 0;  ///< index into Chains::chains
    double readBytes = 0;     ///< bytes it reads that an earlier launch of the chain wrote
    double writeBytes = 0;    ///< bytes it writes that only launches of the chain read
};

struct Chains {
    bool recorded = false;  ///< the profile has the buffers of at least one launch
    std::vector<LaunchChain> chains;
    std::unordered_map<std::uint32_t, ChainMember> members;  ///< by launch
    /// DRAM-limited launches whose buffers, and whether they are read or written, are known.
    std::unordered_set<std::uint32_t> judged;
    /// DRAM-limited launches whose buffers were not recorded, and that follow or precede another
    /// DRAM-limited launch in their stream.
    std::unordered_set<std::uint32_t> undecided;
};

/// Finds the chains among all launches of a profile. `groups` hold the quantities of every launch.
/// Linear in the number of launches.
///
/// Launch B is linked to launch A when, in one stream of one process:
/// - A is the last launch that may have written a buffer that B reads (same pointer), by the
///   declarations of both kernels (analyzer/chains/buffer_access.h);
/// - A, B and all launches between them are DRAM-limited and their buffers are known, and B comes
/// at
///   most 8 launches after A;
/// - more bytes than the L2 holds are certainly handed over: the least of what A stored there, what
/// B
///   loaded from there, and the size of the buffer;
/// - they can be fused. If B directly follows A, one of the two must be elementwise (it folds into
/// the
///   other's stores or loads). If they are further apart, A must be elementwise, and either all
///   launches between them are too or A's inputs are unchanged.
///
/// A launch that repeats with the same buffers while its input is unchanged (a warm-up, a
/// benchmark) is not linked through that buffer: its input was made only once.
///
/// Launches of different rounds of a loop are not linked either, because fusing the loop's body
/// keeps what one round hands to the next. A loop is two or more launches that come three or more
/// times in the same order. Nor are launches of one kernel that comes eight or more times in a row
/// (a time step), unless that is elementwise by name.
///
/// A kernel is elementwise by name (PyTorch, CuPy) or by counters: no shared or local memory,
/// coalesced, and per input no more bytes loaded than stored. A linked launch saves the bytes it
/// reads; the launch that wrote them saves the write too, unless an unlinked launch reads them.
[[nodiscard]] Chains findChains(const Profile& profile, std::span<const KernelAnalysis> groups);

/// Whether DRAM limits the kernel: it is the busiest resource, at 60 % or more of what can be
/// attained, or at 40 % or more and ahead of all others by 10 points.
[[nodiscard]] bool isDramLimited(const KernelAnalysis& kernel);

}  // namespace roofscope
