// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "profile/model/timeline.h"

namespace roofscope {

/// How far a process had come at a moment: so many launch calls (single kernels, graphs, and calls
/// during a stream capture) since it began.
struct PaceMark {
    std::uint64_t calls = 0;
    Nanoseconds time = 0;
    auto operator<=>(const PaceMark&) const = default;
};

/// How fast a process issued its launches while it was traced, and while it ran as without the
/// profiler: nothing was timed, counted or followed then, except that launch calls were counted,
/// which cannot be measured in a program's time. Marks ascend in both numbers.
struct LaunchPace {
    std::vector<PaceMark> traced;  ///< by the clock of the profile's launches and timeline
    /// Of a stretch of the same process before it was traced, or of another run. Times since its
    /// first mark.
    std::vector<PaceMark> alone;
    /// Of a stretch of the same process after it was traced. Times since its first mark.
    std::vector<PaceMark> after = {};
    bool operator==(const LaunchPace&) const = default;
};

}  // namespace roofscope
