// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "collector/arm/messages.h"

namespace roofscope::inject {

/// What a snap asks of whoever waits for its end.
struct SnapWatch {
    using Clock = std::chrono::steady_clock;
    /// Waits until then. False: enough, or whoever asked is gone, or the process is about to end.
    /// After the first of these, which comes once, waits are for their time again.
    std::function<bool(Clock::time_point)> goOn;
    /// Launches are recorded from now on; the process has existed for so many seconds (0: unknown).
    std::function<void(double)> recording;
    /// Whether the process is about to end: only write what there is, and quickly.
    std::function<bool()> exiting;
};

/// Records this process for a while, as the run configuration in the request's folder says, and
/// leaves it as it was before. Its launches are only counted for some time before and after, for
/// the program's own pace. Call it in a thread of our own. Returns how it ended, or why nothing was
/// recorded.
[[nodiscard]] arm::News snap(const arm::Request& request, const SnapWatch& watch);

}  // namespace roofscope::inject
