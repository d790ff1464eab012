// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/program_runs.h"

namespace roofscope {

/// Runs the program once more and samples the GPU over the time of one launch of each kernel that
/// was asked for (RecordOptions::overTime). What could not be sampled becomes an issue in `base`.
Result<void> recordOverTime(ProgramRuns& runner, RunConfiguration configuration,
                            const RecordOptions& options, Profile& base);

/// The time between two samples of a launch that takes `duration`, in ns: 250 in all, and at least
/// a whole microsecond, below which a GPU with 132 SMs has more to write than it can.
[[nodiscard]] std::uint64_t samplingInterval(std::optional<Seconds> duration);

}  // namespace roofscope
