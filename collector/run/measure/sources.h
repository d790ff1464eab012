// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/measure/program_runs.h"

namespace roofscope {

/// Runs the program once more for each kernel that is measured per instruction
/// (RecordOptions::source), and once more for warp stall samples of these kernels. What could not
/// be measured becomes an issue in `base`.
Result<void> recordSources(ProgramRuns& runner, RunConfiguration configuration,
                           const RecordOptions& options, Profile& base);

}  // namespace roofscope
