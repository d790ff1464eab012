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

/// When the last process began timing, in the time of std::chrono::steady_clock; absent if none
/// counted first.
[[nodiscard]] std::optional<Seconds> endOfCounting(const CountedFirstBy& countedFirst);

/// serialTimesOf() of the launches that ran while others were counted.
[[nodiscard]] SerialTimes serialTimes(const Profile& run, const CountedFirstBy& countedFirst);

/// How many launches came between counting and timing, while their processes ran unmeasured: they
/// have no rows. `run` is as it was read.
[[nodiscard]] std::size_t launchesAlone(const Profile& run, const CountedFirstBy& countedFirst);

/// Moves the counters of counted launches to timed launches of the same process, kernel, shape and
/// NVTX range: to those whose duration is closest to the median. The rows of the counted launches
/// are removed if there are others like them. Launches from before timing began keep their duration
/// one by one, minus what timing one by one adds, and get no start. An issue (`counted-first`)
/// describes this. `serial`: serialTimes() of the run. Returns how many rows were removed.
std::size_t moveCountersToTimed(Profile& run, const CountedFirstBy& countedFirst,
                                const SerialTimes& serial);

/// For runs that read counters group by group from different launches: collects the groups of one
/// process, kernel, shape and range in one launch each.
void joinGroups(Profile& run);

/// The launches, in ascending order, of kernels, shapes and ranges that have no counters, or none
/// of a launch that does as much as those that take a quarter of their time, although
/// each takes at least 1 % of the time in which launches were timed (10 % if four other shapes of
/// the kernel have counters). Empty if they take less than 3 % together. `anyShare`: ignore how
/// much time they take, because the user named them.
[[nodiscard]] std::vector<std::uint32_t> timedOnly(const Profile& run, bool anyShare = false);

}  // namespace roofscope
