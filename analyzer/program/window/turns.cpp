// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/turns.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analyzer/program/window/period.h"

namespace roofscope::program {
namespace {

/// A short period counts only if its launches repeat with their shapes. A kernel that is launched
/// again and again for different amounts of work is not a repeat.
bool repeatsShapes(const Profile& profile, const Period& period,
                   const std::vector<const Activity*>& launches) {
    constexpr std::size_t kShort = 4;
    constexpr double kMost = 0.5;
    if (period.length >= kShort) return true;
    std::size_t same = 0, all = 0;
    for (std::size_t i = period.first;
         i + period.length < period.first + period.length * period.repeats; ++i, ++all) {
        const Launch& now = profile.launches[launches[i]->row];
        const Launch& next = profile.launches[launches[i + period.length]->row];
        same += now.grid == next.grid && now.block == next.block;
    }
    return static_cast<double>(same) >= kMost * static_cast<double>(all);
}

/// Nanoseconds from the first start to the last end of some launches, and those of the launches.
struct Extent {
    double time = 0, work = 0;
};

Extent extentOf(const std::vector<const Activity*>& launches, std::size_t from, std::size_t to) {
    Extent extent;
    Nanoseconds last = from < to ? launches[from]->time.end : 0;
    for (std::size_t i = from; i < to; ++i) {
        extent.work += static_cast<double>(launches[i]->time.length());
        last = std::max(last, launches[i]->time.end);
    }
    if (from < to) extent.time = static_cast<double>(last - launches[from]->time.start);
    return extent;
}

}  // namespace

std::optional<Turns> turnsOf(const Profile& profile, const std::vector<const Activity*>& launches) {
    std::vector<std::uint32_t> sequence;
    for (const Activity* a : launches) sequence.push_back(profile.launches[a->row].kernel);
    const auto period = findPeriod(sequence);
    if (!period || !repeatsShapes(profile, *period, launches)) return std::nullopt;
    Turns turns{.starts = startsOfTurns(sequence, *period)};
    for (std::size_t turn = 0; turn + 1 < turns.starts.size(); ++turn) {
        const TimeSpan span{launches[turns.starts[turn]]->time.start,
                            launches[turns.starts[turn + 1]]->time.start};
        if (span.end > span.start) turns.spans.push_back(span);
    }
    if (turns.spans.size() < 2) return std::nullopt;
    turns.length = (turns.starts.back() - turns.starts.front()) / (turns.starts.size() - 1);
    return turns;
}

std::optional<Turns> heaviestTurnsOf(const Profile& profile,
                                     const std::vector<const Activity*>& launches) {
    constexpr double kFarMore = 2;
    auto turns = turnsOf(profile, launches);
    if (!turns) return std::nullopt;
    const std::size_t first = turns->starts.front();
    const std::size_t end = std::min(turns->starts.back() + turns->length, launches.size());
    const Extent inside = extentOf(launches, first, end);
    std::optional<Turns> heaviest;
    Extent most{.time = kFarMore * inside.time, .work = kFarMore * inside.work};
    for (const auto& [from, to] : {std::pair(std::size_t{0}, first), {end, launches.size()}}) {
        const Extent all = extentOf(launches, from, to);
        if (all.time < most.time || all.work < most.work) continue;
        auto other = heaviestTurnsOf(profile, {launches.begin() + std::ptrdiff_t(from),
                                               launches.begin() + std::ptrdiff_t(to)});
        if (!other) continue;
        for (std::size_t& start : other->starts) start += from;
        const Extent own = extentOf(launches, other->starts.front(),
                                    std::min(other->starts.back() + other->length, to));
        if (own.time < most.time || own.work < most.work) continue;
        most = own;
        heaviest = std::move(other);
    }
    return heaviest ? heaviest : turns;
}

std::vector<const Activity*> launchesIn(const LaneActivity& lane, const TimeSpan& time) {
    std::vector<const Activity*> launches;
    for (const Activity& a : lane.activities)
        if (a.kind != Activity::Kind::Transfer && a.time.start >= time.start &&
            a.time.start < time.end)
            launches.push_back(&a);
    return launches;
}

}  // namespace roofscope::program
