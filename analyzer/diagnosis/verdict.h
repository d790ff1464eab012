// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

namespace roofscope {

/// Duration of an empty launch: one warp with one store took 1.92 µs (gpu__time_duration, H200). No
/// edit of a kernel gets below it.
inline constexpr Seconds kEmptyLaunch{2.0e-6};

/// A launch that takes this many times as long in the program as while it is counted waits for
/// something that counting does not show. Page faults take many times as long as the work; kernels
/// that run side by side do not.
inline constexpr double kWaitsLong = 2;

/// True if more than a tenth of the SMs has no block. Fewer idle SMs do not limit a kernel, and a
/// cluster launch cannot always cover every SM (whole clusters must fit a GPC).
[[nodiscard]] bool isUnderfilled(const Device& device, const LaunchGroup& group);

/// Whether executing instructions is what limits a kernel: their issue, or the pipe of integers or
/// of FP32 or FP64 arithmetic.
[[nodiscard]] bool isLimitedByInstructions(const Verdict& verdict);

/// The verdict of a group: the first class that matches, in the order of docs/rules.md. `gap`: how
/// long no kernel runs after such a launch (LaunchGaps::medianAfter), if known.
[[nodiscard]] Verdict decideVerdict(const Profile& profile, const LaunchGroup& group,
                                    const Quantities& quantities, std::optional<Seconds> gap);

}  // namespace roofscope
