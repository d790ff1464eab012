// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/join/serial_times.h"
#include "collector/run/measure/program_runs.h"
#include "collector/run/strategy/strategy.h"

namespace roofscope {

/// What was seen of one run of the program without counters.
struct OneRun {
    Seconds time;
    HeldMemory memory;  ///< of the GPU where saving it would take longest; zeros where unknown
    LaunchPositions positions;  ///< of its launches
    KernelShares timedTooLong;  ///< by CUPTI's instrumentation
    std::size_t leftOut = 0;    ///< launches that the profile has no row of (moveCountersToTimed())
};

/// Runs the program again for counters, and adds them to the launches of the timing run `base` (or
/// fills it, when nothing was timed). How often and with which replay is decided by what the timing
/// run showed (run/strategy/strategy.h). What could not be measured becomes an issue in `base`.
/// `only`: rows of `base`, ascending. Counters are read of typical ones among them and of nothing
/// else, except where every launch must run alike (flushed caches), and no launch is added.
/// With `CountersMode::timeOthers`: what launches that were not counted took one by one; absent
/// where the counters were read in a way that leaves none.
Result<std::optional<SerialTimes>> recordCounters(ProgramRuns& runner,
                                                  RunConfiguration configuration,
                                                  const RecordOptions& options,
                                                  const OneRun& program, Profile& base,
                                                  const std::vector<std::uint32_t>* only = nullptr);

}  // namespace roofscope
