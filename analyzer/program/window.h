// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/activity.h"
#include "analyzer/program/program.h"

namespace roofscope::program {

/// A window with the stretches of the clock that its account is of.
struct FoundWindow {
    Window window;                ///< without its seconds, which the account gives
    std::vector<TimeSpan> spans;  ///< of the counted occurrences: ascending, disjoint
};

/// The time over which a lane is judged: what the user chose; else the outermost NVTX range that
/// repeats and holds most of the GPU's work; else a period of the launches; else all.
///
/// Occurrences in which code is loaded, and first ones that take longer than the others (they warm
/// up), are found but not counted, unless most are like that. Where a range's work on the GPU goes
/// on after its pop the occurrence lasts until then, and the next begins there: each nanosecond is
/// in one.
[[nodiscard]] FoundWindow findWindow(const Profile& profile, const LaneActivity& lane);

}  // namespace roofscope::program
