// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// No share of a roof is more.
inline constexpr double kMostOfRoof = 1.05;

/// Makes shares of a roof missing that are beyond that, with the rates that they are of: clocks
/// and passes that differ do not explain more, so that counters, times or peaks are wrong. A
/// verdict that rests on them would be certain of something impossible.
void dropImpossible(Quantities& quantities);

/// The resources of which shares were dropped: "DRAM", "FP32 pipe".
[[nodiscard]] std::vector<std::string_view> impossibleIn(const Quantities& quantities);

}  // namespace roofscope
