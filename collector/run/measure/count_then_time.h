// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "collector/run/join/serial_times.h"
#include "collector/run/measure/program_runs.h"
#include "collector/run/options/record_options.h"

namespace roofscope {

/// Whether the options leave open how often the program runs. Then one run of a program that starts
/// slowly may both count and time (CountFirstMode).
[[nodiscard]] bool mayCountThenTime(const RecordOptions& options);

/// Whether such a run has timed enough to stand for the program: in each process at least a third
/// of the launches, and one and a half iterations of its loop.
[[nodiscard]] bool timedEnough(const Profile& run, const CountedFirstBy& countedFirst);

/// The longest time that any process spent on counting.
[[nodiscard]] Seconds timeOfCounting(const CountedFirstBy& countedFirst);

/// When the last process began to time, by std::chrono::steady_clock; absent if none counted first.
[[nodiscard]] std::optional<Seconds> endOfCounting(const CountedFirstBy& countedFirst);

/// serialTimesOf() of the launches that ran while others were counted.
[[nodiscard]] SerialTimes serialTimes(const Profile& run, const CountedFirstBy& countedFirst);

/// How many launches came while their processes ran alone, between counting and timing: they have
/// no rows. `run` is as it was read.
[[nodiscard]] std::size_t launchesAlone(const Profile& run, const CountedFirstBy& countedFirst);

/// Moves the counters of counted launches to timed launches of the same process, kernel, shape and
/// NVTX range: to those whose duration is closest to the median. The rows of the counted launches
/// are removed if there are others like them. Launches from before timing began keep the time that
/// they took one by one, less what that way of timing adds, and get no start. The profile says so
/// (`counted-first`). `serial`: serialTimes() of the run. Returns how many rows were removed.
std::size_t moveCountersToTimed(Profile& run, const CountedFirstBy& countedFirst,
                                const SerialTimes& serial);

/// Gives counters of one process, kernel, shape and range that were read group by group, from
/// different launches, to one launch each.
void joinGroups(Profile& run);

/// The launches, ascending, of kernels, shapes and ranges that have no counters and each take 1 %
/// of the time in which launches were timed, or more (10 % if four other shapes of the kernel have
/// counters); empty if they take less than 3 % together.
/// `anyShare`: however little time they take, because the user named them.
[[nodiscard]] std::vector<std::uint32_t> timedOnly(const Profile& run, bool anyShare = false);

}  // namespace roofscope
