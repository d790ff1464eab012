// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/analysis.h"
#include "profile/chip.h"

namespace roofscope {

/// What was measured of whole NVTX ranges, by path and device, the one with the most time first.
/// An occurrence is to its range what a launch is to its kernel: the same formulas, ratios of sums.
/// `chipOf` gives the table of a device, null when the chip is unknown.
[[nodiscard]] std::vector<RangeAnalysis> analyzeRanges(
    const Profile& profile, const std::function<const ChipTable*(std::uint32_t)>& chipOf,
    Convention convention);

}  // namespace roofscope
