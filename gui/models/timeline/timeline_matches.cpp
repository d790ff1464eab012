// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/timeline_matches.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "gui/models/text/number_text.h"
#include "gui/models/text/translated_texts.h"

namespace roofscope::gui {
namespace {

/// Bars with the same key in a row have the same name, which is therefore looked at only once.
std::uint32_t nameKey(const Profile& profile, const Timeline::Row& row, const Timeline::Bar& bar) {
    switch (row.kind) {
        case Timeline::RowKind::Copies: {
            const Transfer& copy = profile.timeline.transfers[bar.item];
            return std::uint32_t(copy.kind) << 16 | std::uint32_t(copy.source) << 8 |
                   std::uint32_t(copy.target);
        }
        case Timeline::RowKind::Calls:
            return profile.timeline.calls[bar.item].name;
        case Timeline::RowKind::Ranges:
        case Timeline::RowKind::RangesOnGpu:
            return profile.timeline.ranges[bar.item].range;
        case Timeline::RowKind::Samples:
            return row.stretches[bar.item].stack;
        case Timeline::RowKind::Phases:
        case Timeline::RowKind::Kernels:
            break;
    }
    return bar.item;
}

}  // namespace

TimelineMatches::TimelineMatches(const Analysis& analysis, const Timeline& timeline,
                                 const std::vector<bool>& kernels, const QString& words)
    : m_bars(timeline.rows.size()) {
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
        const Timeline::Row& row = timeline.rows[i];
        std::map<std::uint32_t, bool> known;  // by nameKey()
        const auto isNamed = [&](const Timeline::Bar& bar) {
            const auto [found, isNew] =
                known.try_emplace(nameKey(*analysis.profile, row, bar), false);
            if (isNew) {
                QString name = timelineBarTitle(analysis, row, bar);
                if (row.kind == Timeline::RowKind::Copies) name += u'\n' + toneName(bar.tone);
                found->second = name.contains(words, Qt::CaseInsensitive);
            }
            return found->second;
        };
        for (std::uint32_t bar = 0; bar < row.bars.size(); ++bar) {
            const Timeline::Bar& at = row.bars[bar];
            const bool found = row.kind == Timeline::RowKind::Kernels
                                   ? at.kernel < kernels.size() && kernels[at.kernel]
                                   : isNamed(at);
            if (found) m_bars[i].push_back(bar);
        }
        m_counts[std::size_t(row.kind)] += m_bars[i].size();
    }
}

QString TimelineMatches::othersText() const {
    using Kind = Timeline::RowKind;
    QStringList parts;
    const auto add = [&parts](std::size_t count, const QString& one, const QString& several) {
        if (count > 0) parts << counted(count, one, several);
    };
    add(count(Kind::Copies), TimelineText::tr("%1 copy"), TimelineText::tr("%1 copies"));
    add(count(Kind::Calls), TimelineText::tr("%1 call"), TimelineText::tr("%1 calls"));
    add(count(Kind::Ranges) + count(Kind::RangesOnGpu), TimelineText::tr("%1 range"),
        TimelineText::tr("%1 ranges"));
    add(count(Kind::Samples), TimelineText::tr("%1 stretch of samples"),
        TimelineText::tr("%1 stretches of samples"));
    add(count(Kind::Phases), TimelineText::tr("%1 phase"), TimelineText::tr("%1 phases"));
    return parts.join(TimelineText::tr(", "));
}

std::optional<TimelinePlace> TimelineMatches::beside(const Timeline& timeline, double time,
                                                     int step) const {
    // A bar that begins at this time counts.
    constexpr double kFar = std::numeric_limits<double>::infinity();
    return nearest(timeline, {.time = std::nextafter(time, step > 0 ? -kFar : kFar), .place = {}},
                   step);
}

std::optional<TimelinePlace> TimelineMatches::beside(const Timeline& timeline,
                                                     const TimelinePlace& place, int step) const {
    return nearest(timeline,
                   {.time = timeline.rows[place.row].bars[place.bar].start, .place = place}, step);
}

/// Several bars may begin at the same time: then the order of the rows decides.
std::optional<TimelinePlace> TimelineMatches::nearest(const Timeline& timeline, const Moment& from,
                                                      int step) const {
    const auto key = [](const Moment& at) {
        return std::tuple(at.time, at.place.row, at.place.bar);
    };
    std::optional<Moment> best;
    for (std::size_t row = 0; row < m_bars.size(); ++row) {
        const std::vector<std::uint32_t>& bars = m_bars[row];
        const auto momentAt = [&](std::uint32_t bar) {
            return Moment{.time = timeline.rows[row].bars[bar].start,
                          .place = {.row = row, .bar = bar}};
        };
        const auto keyOf = [&](std::uint32_t bar) { return key(momentAt(bar)); };
        auto at = step > 0 ? std::ranges::upper_bound(bars, key(from), {}, keyOf)
                           : std::ranges::lower_bound(bars, key(from), {}, keyOf);
        if (at == (step > 0 ? bars.end() : bars.begin())) continue;
        if (step < 0) --at;
        const Moment found = momentAt(*at);
        if (!best || (step > 0 ? key(found) < key(*best) : key(found) > key(*best))) best = found;
    }
    return best ? std::optional(best->place) : std::nullopt;
}

}  // namespace roofscope::gui
