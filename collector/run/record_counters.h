// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/program_runs.h"

namespace roofscope {

/// Runs the program again for counters, and adds them to the launches of the timing run `base` (or
/// fills it, when nothing was timed). How often and with which replay is decided by what the timing
/// run showed (run/strategy.h). What could not be measured becomes an issue in `base`.
///
/// @param programTime of the timing run.
Result<void> recordCounters(ProgramRuns& runner, RunOrders orders, const RecordOptions& options,
                            Seconds programTime, Profile& base);

}  // namespace roofscope
