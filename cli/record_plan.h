// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/program/planner.h"
#include "collector/run/recording/record.h"

namespace roofscope::cli {

/// `record --dry-run`: prints which counters would be read, in how many passes or runs, and what
/// that costs. An empty `chip` means the first GPU of this machine.
Result<int> showPlan(const RecordOptions& options, Effort effort, const std::string& chip,
                     bool json);

}  // namespace roofscope::cli
