// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/chips/chip.h"

namespace roofscope {

/// Quantities of whole NVTX ranges, by path and device, the one with the most time first. An
/// occurrence is to its range what a launch is to its kernel: the same formulas, ratios of sums.
///
/// An occurrence that takes more than twice the median of the others is slow (it loads code, it
/// warms up). Slow ones are removed until none is left. All numbers of a range then cover one set
/// of occurrences: those that are not slow and have counters; if there are none, the slow ones with
/// counters; if none has counters, all that are not slow. Time and bytes are means over that set.
/// Rates, shares and the busy share are ratios of sums over it, so that bytes / time is the rate.
/// `chipOf` gives the table of a device, null when the chip is unknown.
[[nodiscard]] std::vector<RangeAnalysis> analyzeRanges(
    const Profile& profile, const std::function<const ChipTable*(std::uint32_t)>& chipOf,
    Convention convention);

/// Mean time of the set of occurrences that analyzeRanges() describes. Rates, shares, the busy
/// share and RangeAnalysis::quantities.duration cover the same set; RangeAnalysis::duration also
/// covers occurrences without counters.
[[nodiscard]] Derived<Seconds> meanTime(const RangeAnalysis& range);

}  // namespace roofscope
