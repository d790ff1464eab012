// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/bar_facts.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/text/translated_texts.h"

namespace roofscope::gui {
namespace {

/// Adds the call of a copy, in the same words as the call of a launch.
void addCallOfCopy(Facts& facts, const Profile& profile, const Timeline& timeline,
                   const TimelinePlace& place) {
    const auto index = callOfBar(timeline, place);
    if (!index) return;
    const Call& call = profile.timeline.calls[*index];
    facts.emplace_back(TimelineText::tr("Called"), momentOf(double(call.time.start) / 1e9));
    facts.emplace_back(TimelineText::tr("By"),
                       shownText(profile.timeline.callNames[call.name].name, 80));
    facts.emplace_back(TimelineText::tr("Call took"),
                       text(Seconds{double(call.time.length()) / 1e9}));
    if (const auto delay = barDelay(profile, timeline, place))
        facts.emplace_back(TimelineText::tr("From call to start"), text(*delay));
}

}  // namespace

std::optional<Seconds> barDelay(const Profile& profile, const Timeline& timeline,
                                const TimelinePlace& place) {
    const auto call = callOfBar(timeline, place);
    if (!call) return std::nullopt;
    return Seconds{timeline.rows[place.row].bars[place.bar].start -
                   double(profile.timeline.calls[*call].time.start) / 1e9};
}

BarFacts barFacts(const Analysis& analysis, const Timeline& timeline, const TimelinePlace& place) {
    const Timeline::Row& row = timeline.rows[place.row];
    const Timeline::Bar& bar = row.bars[place.bar];
    BarFacts shown{.bar = place,
                   .name = timelineBarTitle(analysis, row, bar),
                   .place = {},
                   .facts = timelineBarFacts(analysis, row, bar),
                   .stack = timelineStackText(analysis, row, bar),
                   .hasCall = callOfBar(timeline, place).has_value()};
    const TimeSpan span{std::llround(bar.start * 1e9), std::llround(bar.end * 1e9)};
    QStringList where{row.kind == Timeline::RowKind::Phases ? QString() : toneName(bar.tone),
                      repeatText(timeline, {span.start, std::max(span.end, span.start + 1)})};
    where.removeAll(QString());
    shown.place = where.join(QStringLiteral(" · "));
    addCallOfCopy(shown.facts, *analysis.profile, timeline, place);
    return shown;
}

QString BarFacts::text() const {
    QString lines = name + u'\n' + place + u'\n';
    for (const auto& [label, value] : facts) lines += QStringLiteral("%1: %2\n").arg(label, value);
    return stack.isEmpty() ? lines : lines + stack + u'\n';
}

}  // namespace roofscope::gui
