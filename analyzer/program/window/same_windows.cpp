// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/same_windows.h"

#include <algorithm>
#include <utility>

namespace roofscope::program {
namespace {

/// Ranks wait for each other, so their steps are equally long. If one is this many times as long as
/// another, it is another part of the loop.
constexpr double kOtherLength = 1.25;

double meanLength(const FoundWindow& window) {
    double sum = 0;
    for (const TimeSpan& span : window.spans) sum += static_cast<double>(span.length());
    return window.spans.empty() ? 0 : sum / static_cast<double>(window.spans.size());
}

bool alike(const FoundWindow& a, const FoundWindow& b) {
    const auto [shorter, longer] = std::minmax(meanLength(a), meanLength(b));
    return a.window.kind == b.window.kind && a.window.name == b.window.name &&
           longer <= kOtherLength * shorter;
}

bool onOneClock(const Profile& profile, const LaneActivity& a, const LaneActivity& b) {
    const Process& first = profile.processes[a.processes.front()];
    const Process& second = profile.processes[b.processes.front()];
    return !first.host.empty() && first.host == second.host && first.clockZero &&
           first.clockZero == second.clockZero;
}

bool worksWithin(const LaneActivity& lane, const std::vector<TimeSpan>& spans) {
    return std::ranges::any_of(lane.activities, [&](const Activity& a) {
        return a.time.end > spans.front().start && a.time.start < spans.back().end;
    });
}

}  // namespace

std::size_t makeWindowsAlike(const Profile& profile, const std::vector<const LaneActivity*>& lanes,
                             std::vector<FoundWindow>& windows) {
    const bool same = std::ranges::all_of(
        windows, [&](const FoundWindow& window) { return alike(windows.front(), window); });
    if (same) return windows.size();
    const FoundWindow longest = *std::ranges::max_element(windows, {}, meanLength);
    for (std::size_t i = 0; i < lanes.size(); ++i)
        if (!onOneClock(profile, *lanes.front(), *lanes[i]) ||
            !worksWithin(*lanes[i], longest.spans))
            return 1;
    for (FoundWindow& window : windows) window = longest;
    return windows.size();
}

}  // namespace roofscope::program
