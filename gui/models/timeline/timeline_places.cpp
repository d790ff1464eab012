// SPDX-License-Identifier: Apache-2.0
// Finds places in a timeline: launches, their neighbours, repeats.
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
