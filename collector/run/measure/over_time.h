// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/measure/program_runs.h"

namespace roofscope {

/// Runs the program once more and samples the GPU over the time of one launch of each kernel that
/// was asked for (RecordOptions::overTime). What could not be sampled becomes an issue in `base`.
Result<void> recordOverTime(ProgramRuns& runner, RunConfiguration configuration,
                            const RecordOptions& options, Profile& base);

/// The time between two samples of a launch that takes `duration`, in ns: 250 in all, a
/// whole number of microseconds; 500 ns for launches below 25 µs, which have few samples otherwise.
/// 10 µs where the duration is not known.
[[nodiscard]] std::uint64_t samplingInterval(std::optional<Seconds> duration);

}  // namespace roofscope
