// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {
struct Analysis;  // analyzer/model/analysis.h
}

/// What a GPU did and what the CPU threads that feed it did, on one clock.
namespace roofscope::program {

/// One kernel, copy or memset.
struct Activity {
    enum class Kind { Kernel, Communication, Transfer };
    Kind kind = Kind::Kernel;
    std::uint32_t row = 0;  ///< index into Profile::launches or Timeline::transfers
    TimeSpan time;
};

/// A device and the processes that gave it work. Processes of different clocks (other hosts, runs
/// that followed each other) make lanes of their own: their times cannot be compared.
struct LaneActivity {
    std::uint32_t device = 0;
    std::vector<std::uint32_t> processes;
    std::vector<Activity> activities;  ///< by start
    TimelineParts recorded;            ///< by all of its processes
    bool timed = true;                 ///< every launch that the timing run saw was timed
    bool all = true;                   ///< every launch that its processes issued is there
};

/// Longest kernel time first. Launches without start and duration are left out.
[[nodiscard]] std::vector<LaneActivity> laneActivities(const Profile& profile);

/// The same stretches of the clock, ascending, each nanosecond in one: a span that begins within
/// another one begins at its end.
[[nodiscard]] std::vector<TimeSpan> disjoint(std::vector<TimeSpan> spans);

/// By index of Profile::launches the index into Analysis::kernels.
[[nodiscard]] std::vector<std::uint32_t> kernelOfLaunches(const Analysis& analysis);

/// A launch's time in whole nanoseconds; absent unless start and duration are known.
[[nodiscard]] std::optional<TimeSpan> spanOf(const Launch& launch);

/// What a thread does, as stretches that do not overlap. Of nested calls the innermost cause wins:
/// loading code inside of a launch is loading.
struct CpuStretch {
    TimeSpan time;
    CallKind kind = CallKind::Other;
    std::uint32_t call = 0;  ///< index into Timeline::calls
};
struct ThreadActivity {
    std::uint32_t thread = 0;
    std::vector<CpuStretch> stretches;  ///< by start
    std::vector<std::uint32_t> issues;  ///< calls that launch or copy, by start
};
/// Of the threads of these processes; those without calls are left out.
[[nodiscard]] std::vector<ThreadActivity> threadActivities(
    const Profile& profile, const std::vector<std::uint32_t>& processes);

}  // namespace roofscope::program
