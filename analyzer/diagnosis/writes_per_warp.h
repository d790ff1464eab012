// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// Writes to global memory (stores, atomics) per launched warp. It is an upper bound of the share
/// of warps that write, because a warp may write several times: below 1, at least the other warps
/// write nothing. Absent if warps may hand their results on through shared or local memory.
[[nodiscard]] std::optional<double> writesPerWarp(const RuleInput& input);
/// What writesPerWarp() gave, beside the threshold of a rule.
[[nodiscard]] Evidence writesOfWarp(double writes, double threshold);

}  // namespace roofscope::rules
