// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

namespace roofscope {

/// What a launch that does nothing takes: one warp with one store showed 1.92 µs as
/// gpu__time_duration on an H200. No edit of a kernel goes below it.
inline constexpr Seconds kEmptyLaunch{2.0e-6};

/// True when at least a tenth of the SMs has no block. Fewer idle ones do not limit a kernel, and a
/// cluster launch cannot always cover every SM (whole clusters must fit a GPC).
[[nodiscard]] bool isUnderfilled(const Device& device, const LaunchGroup& group);

/// Exactly one verdict per group; the first class that matches, in the order of docs/rules.md.
/// `gap`: how long no kernel runs after such a launch (LaunchGaps::medianAfter), if that is known.
[[nodiscard]] Verdict decideVerdict(const Profile& profile, const LaunchGroup& group,
                                    const Quantities& quantities,
                                    std::optional<Seconds> gap = std::nullopt);

}  // namespace roofscope
