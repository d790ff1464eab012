// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/measure/program_runs.h"

namespace roofscope {

/// Runs the program once more and samples counters over the time of one launch of each requested
/// kernel (RecordOptions::overTime). What could not be sampled becomes an issue in `base`.
Result<void> recordOverTime(ProgramRuns& runner, RunConfiguration configuration,
                            const RecordOptions& options, Profile& base);

/// The time between two samples of a launch that takes `duration`, in ns: for 250 samples, rounded
/// up to whole microseconds (at most 100 ms). 500 ns for launches below 25 µs, which would
/// otherwise have few samples. 10 µs if the duration is unknown.
[[nodiscard]] std::uint64_t samplingInterval(std::optional<Seconds> duration);

}  // namespace roofscope
