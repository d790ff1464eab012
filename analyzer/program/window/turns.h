// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/program/window/activity.h"

namespace roofscope::program {

/// Launches that repeat, as a period of the sequence of kernels.
struct Turns {
    std::vector<std::size_t> starts;  ///< of each turn, as indices into the launches
    std::size_t length = 0;           ///< launches of one, mean
    /// From the start of each turn's first launch to that of the next turn. The last turn has
    /// no next one, and what follows it belongs to something else.
    std::vector<TimeSpan> spans;
};
/// The turns of these launches of a lane, which are in the order of their starts. Nullopt if they
/// do not repeat.
[[nodiscard]] std::optional<Turns> turnsOf(const Profile& profile,
                                           const std::vector<const Activity*>& launches);

/// Like turnsOf(). But if the launches before or after these turns repeat, too, take at least twice
/// as long, and are at least twice the work, it is their turns: a program may need thousands of
/// short launches for its data, and then only hundreds of long ones.
[[nodiscard]] std::optional<Turns> heaviestTurnsOf(const Profile& profile,
                                                   const std::vector<const Activity*>& launches);

/// The launches of a lane that begin within `time`.
[[nodiscard]] std::vector<const Activity*> launchesIn(const LaneActivity& lane,
                                                      const TimeSpan& time);

}  // namespace roofscope::program
