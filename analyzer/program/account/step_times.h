// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "profile/model/profile.h"

namespace roofscope::program {

/// The steps of a snap (Capture::snap), and how long one took, on the busiest GPU.
struct StepTimes {
    std::size_t steps = 0;  ///< that were recorded; 0: its launches do not repeat
    /// The time of a step: while it was recorded, and before and after that, when launches were
    /// only counted. Absent if that time was shorter than a step, or the process uses several GPUs.
    std::optional<Seconds> before, recorded, after;
    /// Launch calls per second in the same stretches; absent if fewer than two were noted, or with
    /// several processes.
    struct Calls {
        std::optional<double> before, recorded, after;
    };
    Calls calls = {};
};

/// How many steps a recording holds so far, and how long one takes, in the busiest GPU's window.
struct StepsFound {
    std::size_t count = 0;
    Seconds each;
};
/// Absent if its launches do not repeat.
[[nodiscard]] std::optional<StepsFound> stepsFound(const Profile& profile);

/// From the same window as the rest of a report. Nothing known if nothing was timed.
[[nodiscard]] StepTimes stepTimes(const Profile& profile);

}  // namespace roofscope::program
