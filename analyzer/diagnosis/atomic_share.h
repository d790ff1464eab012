// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// The share of accesses to global memory that are atomics, 0 to 1: instructions that are neither
/// loads nor stores nor asynchronous copies. Without these counts, the share of sectors that Nsight
/// Compute counts for atomics. Nullopt if neither was counted.
[[nodiscard]] std::optional<double> atomicShareOfAccesses(const RuleInput& input);

}  // namespace roofscope::rules
