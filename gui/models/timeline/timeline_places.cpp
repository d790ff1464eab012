// SPDX-License-Identifier: Apache-2.0
// Finds places in a timeline: launches, copies, their calls and neighbours, repeats.
#include <algorithm>
#include <iterator>

#include "gui/models/text/number_text.h"
#include "gui/models/text/translated_texts.h"
#include "gui/models/timeline/timeline.h"

namespace roofscope::gui {

std::optional<TimelinePlace> placeOfLaunch(const Profile& profile, const Timeline& timeline,
                                           std::uint32_t launch) {
    if (launch >= profile.launches.size() || !profile.launches[launch].start) return std::nullopt;
    const Launch& wanted = profile.launches[launch];
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
        const Timeline::Row& row = timeline.rows[i];
        if (row.kind != Timeline::RowKind::Kernels || row.device != wanted.device ||
            row.process != wanted.process || row.lane != wanted.stream)
            continue;
        for (auto bar =
                 std::ranges::lower_bound(row.bars, wanted.start->value, {}, &Timeline::Bar::start);
             bar != row.bars.end() && bar->start == wanted.start->value; ++bar)
            if (bar->item == launch)
                return TimelinePlace{.row = i, .bar = std::size_t(bar - row.bars.begin())};
    }
    return std::nullopt;
}

std::optional<std::uint32_t> callOfBar(const Timeline& timeline, const TimelinePlace& place) {
    const Timeline::Row& row = timeline.rows[place.row];
    if (row.kind != Timeline::RowKind::Kernels && row.kind != Timeline::RowKind::Copies)
        return std::nullopt;
    const auto& calls =
        row.kind == Timeline::RowKind::Kernels ? timeline.callOf : timeline.callOfCopy;
    const std::uint32_t item = row.bars[place.bar].item;
    if (item >= calls.size() || calls[item] == Timeline::kNoCall) return std::nullopt;
    return calls[item];
}

std::optional<TimelinePlace> copyOfCall(const Profile& profile, const Timeline& timeline,
                                        std::uint32_t index) {
    const Call& call = profile.timeline.calls[index];
    if (!call.work || profile.timeline.callNames[call.name].kind != CallKind::Transfer ||
        *call.work >= timeline.callOfCopy.size() || timeline.callOfCopy[*call.work] != index)
        return std::nullopt;
    const Transfer& copy = profile.timeline.transfers[*call.work];
    const double start = double(copy.time.start) / 1e9;
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
        const Timeline::Row& row = timeline.rows[i];
        if (row.kind != Timeline::RowKind::Copies || row.device != copy.device ||
            row.process != copy.process)
            continue;
        for (auto bar = std::ranges::lower_bound(row.bars, start, {}, &Timeline::Bar::start);
             bar != row.bars.end() && bar->start == start; ++bar)
            if (bar->item == *call.work)
                return TimelinePlace{.row = i, .bar = std::size_t(bar - row.bars.begin())};
    }
    return std::nullopt;
}

std::optional<TimelinePlace> barBeside(const Analysis& analysis, const Timeline& timeline,
                                       const TimelinePlace& place, int step) {
    const Timeline::Row& row = timeline.rows[place.row];
    const Timeline::Bar& from = row.bars[place.bar];
    const auto& known = analysis.profile->timeline;
    const auto function = [&](const Timeline::Bar& bar) {
        const program::SampledStretch& stretch = row.stretches[bar.item];
        return program::functionOf(*analysis.profile->processes[stretch.process].cpuSamples,
                                   stretch.stack)
            .function;
    };
    const auto isSame = [&](const Timeline::Bar& bar) {
        switch (row.kind) {
            case Timeline::RowKind::Calls:
                return bar.item != from.item &&
                       known.calls[bar.item].name == known.calls[from.item].name;
            case Timeline::RowKind::Ranges:
            case Timeline::RowKind::RangesOnGpu:
                return known.ranges[bar.item].range == known.ranges[from.item].range;
            case Timeline::RowKind::Samples:
                return function(bar) == function(from);
            case Timeline::RowKind::Phases:
                return bar.item == from.item;
            case Timeline::RowKind::Kernels:
                return bar.kernel == from.kernel;
            case Timeline::RowKind::Copies:
                break;
        }
        return true;
    };
    const auto count = std::ssize(row.bars);
    for (auto at = std::ptrdiff_t(place.bar) + step; at >= 0 && at < count; at += step)
        if (isSame(row.bars[std::size_t(at)]))
            return TimelinePlace{.row = place.row, .bar = std::size_t(at)};
    return std::nullopt;
}

std::optional<std::uint32_t> launchBeside(const Analysis& analysis, std::size_t kernel, double time,
                                          int step) {
    std::optional<std::uint32_t> found;
    double nearest = 0;
    for (const std::uint32_t row : analysis.kernels[kernel].group.launches) {
        const Launch& launch = analysis.profile->launches[row];
        if (!launch.start || !launch.duration) continue;
        const double after = (launch.start->value - time) * step;
        if (after > 0 && (!found || after < nearest)) {
            found = row;
            nearest = after;
        }
    }
    return found;
}

std::optional<std::size_t> repeatAt(const Timeline& timeline, Nanoseconds time) {
    const auto after = std::ranges::upper_bound(timeline.repeats, time, {}, &TimeSpan::start);
    if (after == timeline.repeats.begin()) return std::nullopt;
    return static_cast<std::size_t>(after - timeline.repeats.begin()) - 1;
}

QString repeatText(const Timeline& timeline, const TimeSpan& span) {
    const auto& repeats = timeline.repeats;
    const auto first = std::ranges::upper_bound(repeats, span.start, {}, &TimeSpan::end);
    const auto last = std::ranges::lower_bound(repeats, span.end, {}, &TimeSpan::start);
    if (first >= last) return {};
    const auto number = [&](auto at) { return text(double(at - repeats.begin()) + 1); };
    const QString all = text(double(repeats.size()));
    return std::next(first) == last ? TimelineText::tr("repeat %1 of %2").arg(number(first), all)
                                    : TimelineText::tr("repeats %1 to %2 of %3")
                                          .arg(number(first), number(std::prev(last)), all);
}

}  // namespace roofscope::gui
