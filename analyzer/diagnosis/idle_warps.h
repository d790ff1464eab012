// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// Writes to global memory (stores, atomics) per launched warp. Below 1 at least the rest of the
/// warps writes nothing; a warp may write several times, so it is an upper bound of those that do.
/// Absent if warps may hand their results to another warp or write elsewhere: through shared or
/// local memory.
[[nodiscard]] std::optional<double> writesPerWarp(const RuleInput& input);

}  // namespace roofscope::rules
