// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// No share of a roof can be larger than this.
inline constexpr double kMostOfRoof = 1.05;

/// Drops shares of a roof beyond kMostOfRoof, and the rates that belong to them. Differing clocks
/// and passes do not explain more, so counters, times or peaks are wrong. A verdict based on them
/// would be certain of something impossible.
void dropImpossible(Quantities& quantities);

/// The resources whose shares were dropped: "DRAM", "shared pipe".
[[nodiscard]] std::vector<std::string_view> impossibleIn(const Quantities& quantities);

}  // namespace roofscope
