// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/plan/counter_plan.h"

namespace roofscope {

/// Splits the counters of a request into groups that fit one pass each, few of them, for
/// application replay and multiplexing. Instrumented and hardware counters never share a pass.
struct PassGroups {
    std::vector<std::vector<std::string>> groups;
    std::vector<std::string> severalPasses;  ///< need them even alone: in no group
};
Result<PassGroups> splitIntoPasses(const CuptiApi& api, const PlanRequest& request);

}  // namespace roofscope
