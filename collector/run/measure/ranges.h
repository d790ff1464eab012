// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// How recordRanges() runs the program again.
struct RangeRuns {
    std::function<Result<Profile>(const RunConfiguration&)> run;
    std::function<bool()> over;  ///< no further run is possible or wanted
    std::function<void(const std::string&)> say;
    std::vector<std::vector<std::string>> groups;  ///< counters that fit one pass, for each group
    std::vector<std::string> ranges = {};          ///< globs of the ranges that are measured
};

/// Measures the ranges that the timing run `base` found: the program runs once per group of
/// counters and depth. What could not be measured becomes an issue in `base`; an error means that
/// the program could not be started.
Result<void> recordRanges(const RangeRuns& runs, RunConfiguration configuration, Profile& base);

}  // namespace roofscope
