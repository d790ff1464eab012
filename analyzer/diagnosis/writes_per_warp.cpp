// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/writes_per_warp.h"

#include <string>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

std::optional<double> writesPerWarp(const RuleInput& input) {
    const LaunchGroup& group = input.kernel.group;
    const Kernel& kernel = input.profile.kernels[group.kernel];
    if (kernel.staticSharedBytes.value_or(0) + group.dynamicSharedBytes > 0) return std::nullopt;
    const auto sums = jointSums(input, {counter::kGlobalInstructions, counter::kGlobalLoads,
                                        counter::kSharedInstructions, counter::kLocalSectors});
    if (!sums.ok() || sums[2] > 0 || sums[3] > 0) return std::nullopt;
    const double writes = (sums[0] - sums[1]) / static_cast<double>(sums.launches);
    if (!(writes > 0)) return std::nullopt;  // it writes in a way that is not counted
    return writes / launchedWarps(input);
}

Evidence writesOfWarp(double writes, double threshold) {
    return {.label = Words("global stores and atomics per launched warp"),
            .formula = std::string("(") + std::string(counter::kGlobalInstructions) + " − " +
                       std::string(counter::kGlobalLoads) + ") / warps of the grid",
            .value = writes,
            .unit = Unit::Count,
            .threshold = threshold};
}

}  // namespace roofscope::rules
