// SPDX-License-Identifier: Apache-2.0
// Explains gaps in the timeline: why the GPU is idle.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/text/translated_texts.h"
#include "gui/models/timeline/shown_range.h"
#include "gui/models/timeline/timeline.h"
#include "reports/program/program_words.h"

namespace roofscope::gui {
namespace {

/// "Counted as: waiting for launches 12.3 µs, kernels 4.5 µs". The kernels are on other streams.
QString gapClasses(const PerTimeClass<Seconds>& time) {
    std::vector<TimeClass> classes(kTimeClasses.begin(), kTimeClasses.end());
    std::erase_if(classes, [&](TimeClass cls) { return !(time[cls].value > 0); });
    std::ranges::stable_sort(classes, std::greater{},
                             [&](TimeClass cls) { return time[cls].value; });
    constexpr std::size_t kMostClasses = 3;
    QStringList parts;
    for (std::size_t i = 0; i < std::min(kMostClasses, classes.size()); ++i)
        parts << QStringLiteral("%1 %2").arg(shownText(timeClassWords(classes[i], shownLanguage())),
                                             text(time[classes[i]]));
    return parts.isEmpty()
               ? QString()
               : TimelineText::tr("Counted as: %1").arg(parts.join(QStringLiteral(", ")));
}

/// What the thread that feeds the GPU did in the gap; empty if it was not sampled there.
QString gapFunctions(const RangeAccounts& accounts, const Timeline::Row& in, const TimeSpan& gap) {
    const SampledFunctions sampled = accounts.hostFunctionsOf(in.device, in.process, gap);
    const QStringList texts = sampledFunctionTexts(sampled);
    if (texts.isEmpty()) return {};
    const QString functions = texts.join(QStringLiteral(", "));
    const QString few = fewSamplesText(sampled.samples);
    return few.isEmpty() ? TimelineText::tr("The CPU was in: %1").arg(functions)
                         : TimelineText::tr("The CPU was in, of %1: %2").arg(few, functions);
}

/// What the most sampled thread of the row's process was doing at this time.
QString gapFunction(const Analysis& analysis, const Timeline& timeline, const Timeline::Row& in,
                    double time) {
    const Timeline::Row* most = nullptr;
    const auto samples = [](const Timeline::Row& row) {
        std::size_t sum = 0;
        for (const program::SampledStretch& stretch : row.stretches) sum += stretch.samples;
        return sum;
    };
    for (const Timeline::Row& row : timeline.rows)
        if (row.kind == Timeline::RowKind::Samples && row.process == in.process &&
            (!most || samples(row) > samples(*most)))
            most = &row;
    if (!most) return {};
    const auto hit = hitTimelineRow(*most, time, 0);
    if (!hit) return {};
    const Timeline::Bar& bar = most->bars[hit->bar];
    const program::SampledStretch& stretch = most->stretches[bar.item];
    const auto f = program::functionOf(*analysis.profile->processes[stretch.process].cpuSamples,
                                       stretch.stack);
    const QString name = timelineBarText(analysis, *most, bar);
    return f.place.empty()
               ? TimelineText::tr("CPU samples: %1").arg(name)
               : TimelineText::tr("CPU samples: %1 at %2").arg(name, shownText(f.place, 80));
}

}  // namespace

std::optional<TimeSpan> timelineGap(const Timeline::Row& row, double time) {
    const auto next = std::ranges::upper_bound(row.bars, time, {}, &Timeline::Bar::start);
    if (next == row.bars.begin() || next == row.bars.end()) return std::nullopt;
    const double before = row.latestEnd(static_cast<std::size_t>(next - row.bars.begin()) - 1);
    if (before >= time) return std::nullopt;
    return TimeSpan{std::llround(before * 1e9), std::llround(next->start * 1e9)};
}

QString timelineGapTooltip(const Analysis& analysis, const Timeline& timeline,
                           const Timeline::Row& in, double time, const RangeAccounts* accounts) {
    const std::optional<TimeSpan> gap = timelineGap(in, time);
    if (!gap) return {};
    const QString length = text(Seconds{double(gap->length()) / 1e9});
    QString words;
    switch (in.kind) {
        case Timeline::RowKind::Phases:
            words = TimelineText::tr("No phase for %1").arg(length);
            break;
        case Timeline::RowKind::Kernels:
            words = TimelineText::tr("No kernel on this stream for %1").arg(length);
            break;
        case Timeline::RowKind::Copies:
            words = TimelineText::tr("No copy of this kind for %1").arg(length);
            break;
        case Timeline::RowKind::Ranges:
            words = TimelineText::tr("No range of this level for %1").arg(length);
            break;
        case Timeline::RowKind::RangesOnGpu:
            words = TimelineText::tr("No GPU work of a range of this level for %1").arg(length);
            break;
        case Timeline::RowKind::Calls:
            words = TimelineText::tr("No CUDA call on this thread for %1").arg(length);
            break;
        case Timeline::RowKind::Samples:
            words = TimelineText::tr("No sample of this thread for %1").arg(length);
            break;
    }
    QStringList below;
    if (in.kind == Timeline::RowKind::Kernels || in.kind == Timeline::RowKind::Copies) {
        if (accounts) below << gapClasses(accounts->timeOf(in.device, in.process, *gap));
        const QString functions = accounts ? gapFunctions(*accounts, in, *gap) : QString();
        below << (functions.isEmpty() ? gapFunction(analysis, timeline, in, time) : functions);
    }
    below.removeAll(QString());
    QString html = QStringLiteral("<p>%1</p>").arg(words.toHtmlEscaped());
    for (const QString& line : std::as_const(below))
        html += QStringLiteral("<p>%1</p>").arg(line.toHtmlEscaped());
    return html;
}

}  // namespace roofscope::gui
