// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/analysis.h"

namespace roofscope {

/// What a launch that does nothing takes: one warp with one store showed 1.92 µs as
/// gpu__time_duration on an H200. No edit of a kernel goes below it.
inline constexpr Seconds kEmptyLaunch{2.0e-6};

/// True when fewer blocks than SMs are launched and that is not how the kernel is meant: a cluster
/// launch cannot always cover every SM (whole clusters must fit a GPC), so a persistent cluster
/// kernel leaves up to a tenth of them out.
[[nodiscard]] bool isUnderfilled(const Device& device, const LaunchGroup& group);

/// Exactly one verdict per group; the first class that matches, in the order of docs/rules.md.
/// `gap`: how long no kernel runs after such a launch (LaunchGaps::medianAfter), if that is known.
[[nodiscard]] Verdict decideVerdict(const Profile& profile, const LaunchGroup& group,
                                    const Quantities& quantities,
                                    std::optional<Seconds> gap = std::nullopt);

}  // namespace roofscope
