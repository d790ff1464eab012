// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/model/profile.h"
#include "profile/model/units.h"

namespace roofscope {

/// One NVTX range (a path) over all of its occurrences, in all threads. All times are as they were
/// recorded, tracing included.
struct RangeSummary {
    std::uint32_t range = 0;            ///< index into Profile::ranges
    std::size_t count = 0;              ///< occurrences
    Seconds total;                      ///< on the CPU, from push to pop
    Seconds shortest, median, longest;  ///< of one occurrence
    TimeSpan longestAt;                 ///< the longest one
    std::size_t onGpu = 0;              ///< of `count`, those that gave a GPU work
    /// Over these occurrences, each from the start of its first to the end of its last work on the
    /// GPU: how long the GPU worked (also for others), and how long it was idle. Several GPUs are
    /// averaged.
    Seconds gpu, idle;

    [[nodiscard]] Seconds mean() const { return total / static_cast<double>(count); }
};

/// The recorded NVTX ranges, most time first; empty if none were recorded.
[[nodiscard]] std::vector<RangeSummary> summarizeRanges(const Profile& profile);

}  // namespace roofscope
