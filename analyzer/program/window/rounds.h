// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/model/window.h"
#include "analyzer/program/window/activity.h"

/// How similar the occurrences of a window are.
namespace roofscope::program {

/// Whether an occurrence takes `excess` longer than those after it because of its own work: most of
/// the excess is kernels that take at least four times as long as the same kernel, grid and block
/// take later. That happens if work goes level by level through data (a search, a multigrid cycle).
/// Loading code, clocks and cold caches do not slow a kernel down that much.
[[nodiscard]] bool isSlowByOwnWork(const Profile& profile, const LaneActivity& lane,
                                   const std::vector<TimeSpan>& spans, std::size_t occurrence,
                                   Nanoseconds excess);

/// Whether these occurrences do different amounts of work, so that their mean describes none of
/// them: there are few, and those with four or more times the median GPU time hold most of the
/// time.
[[nodiscard]] bool workDiffers(const LaneActivity& lane, const std::vector<TimeSpan>& spans);

/// The turns of a loop around the one that was found: from the end of one long occurrence to the
/// end of the next. Empty if there is none. The long ones take at least eight times the median and
/// a quarter of the time in all, and come after nearly the same number of occurrences each time:
/// after the launches of such a turn, the program copies, waits or works on the CPU, which no
/// launch shows.
[[nodiscard]] std::vector<TimeSpan> turnsBetweenPauses(const std::vector<TimeSpan>& spans);

/// Ends the occurrences that a long pause follows with the work before the pause: where a program
/// goes on to another part (it checks results, or makes the next input), their mean would describe
/// neither. There are at most eight such occurrences, one in fifty or fewer. They take at least
/// eight times the median, and a quarter of the time in all.
/// Returns the pauses.
Window::Pauses endBeforePauses(const LaneActivity& lane, std::vector<TimeSpan>& spans);

/// The lengths at the beginning and at the end, each the median of a quarter of the occurrences, if
/// they grow from quarter to quarter and by a third in all (a cache that gets longer with every
/// step). Absent otherwise.
[[nodiscard]] std::optional<std::pair<Seconds, Seconds>> growth(const std::vector<TimeSpan>& spans);

/// Two parts of a loop with different work (a program that times one size, then another), so that
/// their mean describes neither.
struct Levels {
    std::size_t split = 0;  ///< the first occurrence of the second part
    /// Whether the first part is to be judged. The part that takes at least twice as long in all is
    /// judged; without one, the part whose occurrences take longer.
    bool firstMatters = true;
};
/// Absent if there are no such parts. They have at least 8 occurrences each; nine of ten of the one
/// take at least 1.5 times as long as nine of ten of the other, and so do their kernels (a slow
/// start launches the same kernels).
[[nodiscard]] std::optional<Levels> levelsOf(const LaneActivity& lane,
                                             const std::vector<TimeSpan>& spans);

}  // namespace roofscope::program
