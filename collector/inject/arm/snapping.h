// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "collector/arm/messages.h"

namespace roofscope::inject {

/// How snap() talks to whoever asked for it.
struct SnapWatch {
    using Clock = std::chrono::steady_clock;
    /// Waits until the given time. False: the caller wants to end the snap or is gone, or the
    /// process is about to end. A caller's wish to end is reported once; later waits last their
    /// full time.
    std::function<bool(Clock::time_point)> goOn;
    /// Called when recording begins, with the age of the process in seconds (0: unknown).
    std::function<void(double)> recording;
    /// Whether the process is about to end: only write what there is, and quickly.
    std::function<bool()> exiting;
};

/// Records this process for a while, as the run configuration in the request's folder says, and
/// then restores its previous state. For some time before and after, launches are only counted, to
/// learn the program's own pace. Call it in a thread of ours. Returns how the snap ended, or why
/// nothing was recorded.
[[nodiscard]] arm::News snap(const arm::Request& request, const SnapWatch& watch);

}  // namespace roofscope::inject
