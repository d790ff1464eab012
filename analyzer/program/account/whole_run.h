// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyzer/program/model/program.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

/// The whole run of a program: what its loop is a part of.
namespace roofscope::program {

/// The run of the process that fed this lane, and how much of it is the loop. Absent if the lane
/// belongs to several processes, or if no start times are known.
[[nodiscard]] std::optional<WholeRun> wholeRunOf(const Profile& profile, const LaneActivity& lane,
                                                 const std::vector<ThreadActivity>& threads,
                                                 const FoundWindow& loop, bool launchesComplete);

/// Sets WholeRun::functionsBefore and functionsAfter.
void nameEnds(const Profile& profile, const LaneActivity& lane,
              const std::vector<ThreadActivity>& threads, WholeRun& run);

/// Whether the run is to be judged in place of its loop: the loop is less than half of it, and the
/// rest is neither CUDA's start-up nor that of a framework. Of an imported run: less than half of
/// the time from the first to the last work on the GPU.
[[nodiscard]] bool isMostlyOutside(const Profile& profile, const WholeRun& run,
                                   const FoundWindow& loop);

/// Whether another tool recorded a program's run. A framework's steps are a part that somebody
/// asked for, even if starting the framework takes longer.
[[nodiscard]] bool isImportedRun(const Profile& profile);

/// From the first to the last work on the GPU, as one window.
[[nodiscard]] FoundWindow windowOfWork(const LaneActivity& lane);

/// All of the run that was recorded, as one window. The recorder's set-up is cut off.
[[nodiscard]] FoundWindow windowOfRun(const Profile& profile, const LaneActivity& lane);

}  // namespace roofscope::program
