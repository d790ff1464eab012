// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/configuration/held_memory.h"
#include "collector/run/join/serial_times.h"
#include "collector/run/measure/program_runs.h"

namespace roofscope {

/// What one run of the program without counters showed.
struct OneRun {
    Seconds time;
    HeldMemory memory;  ///< of the GPU whose memory would take longest to save; zeros where unknown
    LaunchPositions positions;  ///< of its launches
    KernelShares timedTooLong;  ///< by CUPTI's instrumentation
    std::size_t leftOut = 0;    ///< launches without a row in the profile (moveCountersToTimed())
};

/// Runs the program again for counters and adds them to the launches of the timing run `base` (or
/// fills it if nothing was timed). How often it runs and with which replay depends on what the
/// timing run showed (run/strategy/replay_strategy.h). What could not be measured becomes an issue
/// in `base`. `only`: rows of `base`, ascending. Counters are then read only for typical launches
/// among them, except where every launch must run alike (flushed caches), and no launch is added.
/// With `CountersMode::timeOthers`, returns how long launches without counters took one by one;
/// absent if the way of reading counters leaves no such launches.
Result<std::optional<SerialTimes>> recordCounters(ProgramRuns& runner,
                                                  RunConfiguration configuration,
                                                  const RecordOptions& options,
                                                  const OneRun& program, Profile& base,
                                                  const std::vector<std::uint32_t>* only = nullptr);

}  // namespace roofscope
