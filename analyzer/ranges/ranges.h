// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

namespace roofscope {

/// What was measured of whole NVTX ranges, by path and device, the one with the most time first.
/// An occurrence is to its range what a launch is to its kernel: the same formulas, ratios of sums.
///
/// An occurrence that takes more than twice the median of the others is slow (it loads code, it
/// warms up): left out until no further one does. What is said of a range is then of one set of
/// occurrences, those that stand for it: the ones that are not slow and have counters; without
/// such the slow ones with counters; without any counters all that are not slow. Its time and bytes
/// are means over that set, rates, shares and the busy share ratios of sums over it: bytes by time
/// is the rate.
/// `chipOf` gives the table of a device, null when the chip is unknown.
[[nodiscard]] std::vector<RangeAnalysis> analyzeRanges(
    const Profile& profile, const std::function<const ChipTable*(std::uint32_t)>& chipOf,
    Convention convention);

/// Mean time of the occurrences that stand for the range: the time that its rates, shares and busy
/// share are of. RangeAnalysis::duration has the median over those without counters as well.
/// RangeAnalysis::quantities.duration is of the same occurrences as this.
[[nodiscard]] Derived<Seconds> meanTime(const RangeAnalysis& range);

}  // namespace roofscope
