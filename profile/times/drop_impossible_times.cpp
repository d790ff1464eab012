// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profile/text/count_text.h"
#include "profile/times/impossible_times.h"

namespace roofscope {
namespace {

/// The predicate for one launch or copy and for several, indexed by ImpossibleTime.
constexpr std::array<std::pair<const char*, const char*>, kImpossibleTimes> kImpossibleWords{{
    {"begins before its call", "begin before their calls"},
    {"lies after the end of the program", "lie after the end of the program"},
    {"overlaps other work of its stream", "overlap other work of their stream"},
    {"is out of the order of its stream", "are out of the order of their stream"},
    {"begins with another kernel of its stream", "begin with another kernel of their stream"},
    {"is faster than memory", "are faster than memory"},
}};

/// Up to this share, launches with a wrong time do not change what a report says.
constexpr double kFew = 0.001;

void addDoubt(Profile& profile, const char* code, std::string message, bool few = false) {
    const char* const advice =
        profile.capture.origin == "imported" ? "trace or record the program again" : "record again";
    profile.issues.push_back({.severity = few ? Severity::Info : Severity::DataLoss,
                              .source = "profile",
                              .code = code,
                              .message = std::move(message),
                              .advice = few ? "" : advice});
}

void sayHowMany(Profile& profile, const ImpossibleTimes& found) {
    std::array<std::size_t, kImpossibleTimes> counts{};
    for (const ImpossibleWork& work : found.work) ++counts[static_cast<std::size_t>(work.why)];
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 0)
            kinds.push_back(
                countText(counts[i], kImpossibleWords[i].first, kImpossibleWords[i].second));
    addDoubt(profile, "times-impossible",
             fmt::format("{} of {} kernels and copies {} a time that cannot be and {} as not "
                         "timed: {}. What the GPU did meanwhile is unknown.",
                         found.work.size(), found.timed, found.work.size() == 1 ? "has" : "have",
                         found.work.size() == 1 ? "counts" : "count", fmt::join(kinds, ", ")),
             static_cast<double>(found.work.size()) <= kFew * static_cast<double>(found.timed));
}

/// Removes copies and adjusts the indices in calls.
void removeTransfers(Timeline& timeline, const std::vector<bool>& gone) {
    constexpr std::uint32_t kGone = 0xFFFF'FFFF;
    std::vector<std::uint32_t> places;
    std::uint32_t next = 0;
    for (std::uint32_t row = 0; row < gone.size(); ++row) {
        places.push_back(gone[row] ? kGone : next);
        if (!gone[row]) timeline.transfers[next++] = timeline.transfers[row];
    }
    timeline.transfers.resize(next);
    for (Call& call : timeline.calls) {
        if (!call.work || timeline.callNames[call.name].kind != CallKind::Transfer) continue;
        const std::uint32_t place = places[*call.work];
        if (place == kGone)
            call.work.reset();
        else
            call.work = place;
    }
}

/// The span in which work ran, as far as a file can hold it in one number: a call or a copy may be
/// 100 days from the rest.
TimeSpan writable(const TimeSpan& span) {
    constexpr Nanoseconds kFarthest = Nanoseconds{1} << 52;
    return {std::clamp(span.start, -kFarthest, kFarthest),
            std::clamp(span.end, -kFarthest, kFarthest)};
}

}  // namespace

void dropImpossibleTimes(Profile& profile) {
    if (!isMeasured(profile.capture)) return;
    const ImpossibleTimes found = impossibleTimes(profile);
    Timeline& timeline = profile.timeline;
    for (const std::uint32_t process : found.clocksDisagree) {
        auto& parts = profile.processes[process].timeline;
        if (!parts || !parts->launches) continue;
        parts->launches = parts->waits = false;
        addDoubt(profile, "clocks-disagree",
                 "Most kernels and copies begin before their calls: the clocks of CPU and GPU "
                 "disagree, so it is not known why the GPU was idle.");
    }
    if (found.work.empty()) return;
    sayHowMany(profile, found);
    std::vector<bool> gone(timeline.transfers.size(), false);
    std::unordered_set<Nanoseconds> starts, ends;
    for (const ImpossibleWork& work : found.work) {
        UntimedWork row{.process = 0, .device = 0, .time = writable(work.within)};
        if (work.transfer) {
            const Transfer& t = timeline.transfers[work.row];
            gone[work.row] = true;
            row.process = t.process;
            row.device = t.device;
            timeline.untimed.push_back(row);
            if (t.peer && *t.peer != t.device) {
                row.device = *t.peer;
                timeline.untimed.push_back(row);
            }
            starts.insert(t.time.start);
            ends.insert(t.time.end);
            continue;
        }
        Launch& launch = profile.launches[work.row];
        row.process = launch.process;
        row.device = launch.device;
        row.launch = work.row;
        timeline.untimed.push_back(row);
        const auto start = static_cast<Nanoseconds>(std::llround(launch.start->value * 1e9));
        starts.insert(start);
        ends.insert(start + std::llround(launch.duration->value * 1e9));
        launch.start.reset();
        launch.duration.reset();
    }
    removeTransfers(timeline, gone);
    // The GPU span of a range is unknown if it began or ended with work whose time was removed.
    for (RangeSpan& range : timeline.ranges)
        if (range.gpu && (starts.contains(range.gpu->start) || ends.contains(range.gpu->end)))
            range.gpu.reset();
}

}  // namespace roofscope
