// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/plan/counter_plan.h"

namespace roofscope {

/// Splits the counters of a request into a few groups that each fit one pass, for application
/// replay and multiplexing. Instrumented and hardware counters never share a pass.
struct PassGroups {
    std::vector<std::vector<std::string>> groups;
    /// Counters that need several passes even alone; in no group.
    std::vector<std::string> severalPasses;
};
Result<PassGroups> splitIntoPasses(const CuptiApi& api, const PlanRequest& request);

}  // namespace roofscope
