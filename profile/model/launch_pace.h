// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "profile/model/timeline.h"

namespace roofscope {

/// The number of launch calls (single kernels, graphs, and calls during a stream capture) that a
/// process had made since its start at a moment.
struct PaceMark {
    std::uint64_t calls = 0;
    Nanoseconds time = 0;
    auto operator<=>(const PaceMark&) const = default;
};

/// How fast a process issued its launches while it was traced, and how fast without the profiler.
/// In the latter stretches nothing was timed, counted or followed; only launch calls were counted,
/// which has no measurable cost. Marks ascend in calls and time.
struct LaunchPace {
    std::vector<PaceMark> traced;  ///< on the clock of the profile's launches and timeline
    /// Without the profiler: a stretch before the process was traced, or one of another run. Times
    /// since its first mark.
    std::vector<PaceMark> alone;
    /// Without the profiler: a stretch after the process was traced. Times since its first mark.
    std::vector<PaceMark> after = {};
    bool operator==(const LaunchPace&) const = default;
};

}  // namespace roofscope
