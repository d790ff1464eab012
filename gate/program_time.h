// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gate/gate.h"

/// The time of one repeat of the program's loop, because a program may get slower while its kernels
/// stay as fast as before. Internal to gate/.
namespace roofscope::gate {

/// The check's id, also its key in rules files (at the top level).
inline constexpr std::string_view kWindowKey = "window_ns";
/// Default of the largest growth that passes, a share. A loop also depends on the CPU, whose times
/// vary more between runs than those of kernels.
inline constexpr double kWindowGrowth = 0.1;

/// The median of these durations (in seconds) and their band; nullopt if there is none.
[[nodiscard]] std::optional<Fact> durationFact(std::vector<double> seconds);

/// Absent if the profile has no times, or fewer than kLeastRepeats repeats.
[[nodiscard]] std::optional<BaselineProgram> programTime(const Analysis& analysis,
                                                         const PrivateDataFilter& privateParts);

/// Appends the check to `out.checks`; a note instead if the two cannot be compared, and nothing if
/// neither repeats anything.
void judgeProgram(const Baseline& before, const Baseline& now, const Demands& demands,
                  Judgement& out);

}  // namespace roofscope::gate
