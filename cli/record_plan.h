// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/program/planner.h"
#include "collector/run/recording/record.h"

namespace roofscope::cli {

/// `record --dry-run`: prints which counters would be read, in how many passes or runs, and what
/// that costs. For the first GPU here when `chip` is empty.
Result<int> showPlan(const RecordOptions& options, Effort effort, const std::string& chip,
                     bool json);

}  // namespace roofscope::cli
