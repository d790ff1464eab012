// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// The time that tracing added to a window: over all of its occurrences, by how much longer its
/// launches took to come than in a process that was not traced. From the launch calls that both
/// stretches have in common; else from as many calls of the stretch alone as the window's
/// occurrences have on average. What lies before the first and after the last launch is not
/// longer. Nullopt if neither is known (Process::pace), or if the two do not fit together: the
/// program did something else, or waited for something that it had in stock when it was alone.
[[nodiscard]] std::optional<Seconds> addedByTracing(const Profile& profile,
                                                    const LaneActivity& lane,
                                                    const FoundWindow& window);

}  // namespace roofscope::program
