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

/// A device and the processes that gave it work. Processes with different clocks (other hosts,
/// consecutive runs) are in separate lanes, because their times cannot be compared.
struct LaneActivity {
    std::uint32_t device = 0;
    std::vector<std::uint32_t> processes;
    std::vector<Activity> activities;  ///< by start
    /// When work ran whose recorded time is impossible; ascending, disjoint.
    std::vector<TimeSpan> untimed;
    TimelineParts recorded;  ///< what all of its processes recorded
    bool timed = true;       ///< every launch that the timing run saw was timed
    bool all = true;         ///< every launch that its processes issued is there
};

/// The lanes, longest kernel time first. Launches without start and duration are left out.
[[nodiscard]] std::vector<LaneActivity> laneActivities(const Profile& profile);

/// The same stretches of the clock, ascending and without overlap: a span that begins within
/// another one begins at its end.
[[nodiscard]] std::vector<TimeSpan> disjoint(std::vector<TimeSpan> spans);

/// For each row of Profile::launches, the index into Analysis::kernels.
[[nodiscard]] std::vector<std::uint32_t> kernelOfLaunches(const Analysis& analysis);

/// A launch's time in whole nanoseconds; absent unless start and duration are known.
[[nodiscard]] std::optional<TimeSpan> spanOf(const Launch& launch);

/// Whether a profile has any times: of launches, copies, calls or ranges.
[[nodiscard]] bool hasTimes(const Profile& profile);

/// What a thread does, as stretches that do not overlap. Of nested calls the most telling one
/// counts: loading code inside of a launch is loading.
struct CpuStretch {
    TimeSpan time;
    CallKind kind = CallKind::Other;  ///< Other: another profiler held the program up
    std::uint32_t call = 0;           ///< index into Timeline::calls
};
struct ThreadActivity {
    std::uint32_t thread = 0;
    std::vector<CpuStretch> stretches;  ///< by start
    /// Calls that launch or copy, by start; also launches that loaded code, which are of that kind.
    std::vector<std::uint32_t> issues;
};
/// For a run in which counters were read first: from when on the GPU's work is known. Until the
/// first timed launch, the GPU may still work on earlier, untimed ones. Absent: from the start.
[[nodiscard]] std::optional<Nanoseconds> knownFrom(const ProcessRun& run, const LaneActivity& lane);

/// Whether calls of this kind launch or copy.
[[nodiscard]] bool issuesWork(CallKind kind);

/// The activities of these processes' threads; threads without calls are left out.
[[nodiscard]] std::vector<ThreadActivity> threadActivities(
    const Profile& profile, const std::vector<std::uint32_t>& processes);
/// The one that issues most of the work; there is at least one.
[[nodiscard]] const ThreadActivity& busiestOf(const std::vector<ThreadActivity>& threads);

}  // namespace roofscope::program
