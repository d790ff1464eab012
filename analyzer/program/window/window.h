// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyzer/program/model/window.h"
#include "analyzer/program/window/activity.h"

namespace roofscope::program {

/// A window, and the stretches of the clock that its account covers.
struct FoundWindow {
    Window window;                ///< without its seconds, which come from the account
    std::vector<TimeSpan> spans;  ///< of the counted occurrences: ascending, disjoint
};

/// The time over which a lane is judged: what the user chose; else the outermost NVTX range that
/// repeats and holds most of the GPU's work; else a period of the launches; else everything.
///
/// Occurrences in which code is loaded, and leading ones that take longer than the others
/// (warm-up), are found but not counted, unless most are like that. If a range's work on the GPU
/// goes on after its pop, the occurrence lasts until then and the next one begins there, so that
/// each nanosecond is in one occurrence only.
///
/// `compiled`: when a compiler was seen, if code is compiled until the end (compiledUntilTheEnd()).
/// Where that happens between the calls of a compiled function, an occurrence lasts to the next
/// call.
[[nodiscard]] FoundWindow findWindow(const Profile& profile, const LaneActivity& lane,
                                     std::span<const Nanoseconds> compiled);

/// Calls visit(activity, span) for each launch that begins within an occurrence, in the order of
/// their starts; `span` is an index into FoundWindow::spans.
template <class Visit>
void forEachLaunch(const LaneActivity& lane, const FoundWindow& window, const Visit& visit) {
    std::size_t span = 0;
    for (const Activity& activity : lane.activities) {
        if (activity.kind == Activity::Kind::Transfer) continue;
        while (span < window.spans.size() && window.spans[span].end <= activity.time.start) ++span;
        if (span == window.spans.size()) break;
        if (activity.time.start >= window.spans[span].start) visit(activity, span);
    }
}

}  // namespace roofscope::program
