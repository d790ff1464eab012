// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/diagnosis/rule.h"

namespace roofscope::rules {

/// Atomics as a share of the accesses to global memory, 0 to 1: of the instructions those that are
/// neither loads nor stores nor asynchronous copies, or of the sectors those that Nsight Compute
/// counts. Nullopt if neither was counted.
[[nodiscard]] std::optional<double> atomicShareOfAccesses(const RuleInput& input);

}  // namespace roofscope::rules
