// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/cupti/cupti_api.h"
#include "collector/plan/counter_plan.h"

namespace roofscope::inject {

/// A failed CUPTI call as an Error: code, message and advice.
[[nodiscard]] Error cuptiError(const CuptiApi& cupti, CUptiResult result, const char* call);

/// The issue of a recording for which counters could not be opened.
[[nodiscard]] Issue countersRefused(const Error& error);

/// The plan for the counters that a device can read.
struct PlannedCounters {
    /// One plan; with multiplexing, one per group of counters (CountersMode::passGroups). Group by
    /// group (CountersMode::groupByGroup): one per group, and last the plan of all counters.
    std::vector<CounterPlan> plans;
    /// Index of the plan for most launches.
    std::size_t usual = 0;
    std::vector<std::uint8_t> availability;  ///< must outlive the host objects that use it
};

/// Called with an issue for everything that a session cannot collect.
using ReportIssue = std::function<void(Issue)>;

/// Plans the counters of `mode` for the device of `context`, which must be current.
/// `facts` names its chip. Counters that the chip lacks are reported as issues.
Result<PlannedCounters> planOnDevice(const CuptiApi& cupti, CUcontext context, CUdevice device,
                                     const CountersMode& mode, const Device& facts,
                                     const ReportIssue& report);

}  // namespace roofscope::inject
