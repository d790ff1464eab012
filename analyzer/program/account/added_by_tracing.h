// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// The time that tracing added to a window, over all of its occurrences: how much longer its launch
/// calls took to come than while the process was not traced. Compares the launch calls that both
/// stretches have in common, else as many calls of the untraced stretch as the window's occurrences
/// have on average. The time before the first and after the last launch counts as not prolonged.
/// Nullopt if a stretch is not known (Process::pace), or if the two do not fit together: the
/// program did something else, or while untraced it could use up a stock (such as loaded batches).
[[nodiscard]] std::optional<Seconds> addedByTracing(const Profile& profile,
                                                    const LaneActivity& lane,
                                                    const FoundWindow& window);

}  // namespace roofscope::program
