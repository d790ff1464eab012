// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "collector/run/join/serial_times.h"
#include "collector/run/measure/program_runs.h"
#include "collector/run/options/record_options.h"

namespace roofscope {

/// Whether the options leave it open how often the program runs, so that one run may count and
/// time (CountFirstMode) where it starts slowly.
[[nodiscard]] bool mayCountThenTime(const RecordOptions& options);

/// Whether such a run has timed enough to stand for the program: in each process at least a third
/// of the launches, and one and a half rounds of its loop.
[[nodiscard]] bool timedEnough(const Profile& run, const CountedFirstBy& countedFirst);

/// The longest time that a process spent on counting.
[[nodiscard]] Seconds timeOfCounting(const CountedFirstBy& countedFirst);

/// When the last process began to time, by std::chrono::steady_clock; absent if none counted first.
[[nodiscard]] std::optional<Seconds> endOfCounting(const CountedFirstBy& countedFirst);

/// serialTimesOf() of the launches that ran while others were counted.
[[nodiscard]] SerialTimes serialTimes(const Profile& run, const CountedFirstBy& countedFirst);

/// Gives the counters of launches that were counted to timed ones of the same process, kernel,
/// shape and NVTX range: to those whose duration is closest to the median. The rows of the former
/// are left out if there are others like them. Launches before a process timed keep what they took
/// one by one, less what that way of timing adds, without a start. The profile says so
/// (`counted-first`). `serial`: serialTimes() of the run. Returns how many rows were
/// left out.
std::size_t moveCountersToTimed(Profile& run, const CountedFirstBy& countedFirst,
                                const SerialTimes& serial);

/// The launches, ascending, of kernels, shapes and ranges that have no counters and take 1 % of the
/// GPU's time or more each; empty if they take less than 3 % together.
[[nodiscard]] std::vector<std::uint32_t> timedOnly(const Profile& run);

}  // namespace roofscope
