// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// How long the window's occurrences take in a process that is not traced, as a share of the time
/// that they took while it was: 0.67 if tracing made them half as long again, 1 if it added
/// nothing. From the launch calls that both stretches have in common; else from as many calls of
/// the stretch alone as the window's occurrences have on average. Nullopt if neither is known
/// (Process::pace), or if the two do not fit together.
[[nodiscard]] std::optional<double> shareAlone(const Profile& profile, const LaneActivity& lane,
                                               const FoundWindow& window);

}  // namespace roofscope::program
