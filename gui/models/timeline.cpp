// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "gui/models/kernel_facts.h"
#include "gui/models/number_text.h"
#include "gui/models/shown_text.h"

namespace roofscope::gui {
namespace {

constexpr std::size_t kVerdicts = static_cast<std::size_t>(VerdictClass::Unknown) + 1;
/// From this width on a launch is drawn for itself.
constexpr double kWide = 3;
/// Neighbouring pixels are one piece when they are busy to the same eighth.
constexpr double kSteps = 8;

/// Where the translation finds the texts of this file.
struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

QString row(const QString& label, const QString& value) {
    return QStringLiteral("<tr><td>%1</td><td align=right>&nbsp;&nbsp;<b>%2</b></td></tr>")
        .arg(label.toHtmlEscaped(), value.toHtmlEscaped());
}

/// What ran within one pixel.
struct Column {
    std::array<float, kVerdicts> time{};
    bool selected = false;
};

QString processName(const Profile& profile, std::uint32_t index) {
    if (index >= profile.processes.size()) return TimelineText::tr("process %1").arg(index);
    const Process& process = profile.processes[index];
    QString name = process.rank ? TimelineText::tr("rank %1").arg(*process.rank)
                                : TimelineText::tr("process %1").arg(process.pid);
    if (!process.host.empty()) name += TimelineText::tr(" on %1").arg(shownText(process.host, 40));
    return name;
}

}  // namespace

std::pair<std::size_t, std::size_t> Timeline::Row::between(double from, double to) const {
    const auto first = std::lower_bound(latestEnd.begin(), latestEnd.end(), from);
    const auto last = std::upper_bound(
        bars.begin(), bars.end(), to, [](double time, const Bar& bar) { return time < bar.start; });
    const auto begin = static_cast<std::size_t>(first - latestEnd.begin());
    return {begin, std::max(begin, static_cast<std::size_t>(last - bars.begin()))};
}

Timeline buildTimeline(const Analysis& analysis) {
    Timeline timeline;
    if (!analysis.profile) return timeline;
    const Profile& profile = *analysis.profile;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Timeline::Row> rows;
    std::array<bool, kVerdicts> occurs{};
    std::size_t placed = 0;
    for (std::size_t kernel = 0; kernel < analysis.kernels.size(); ++kernel) {
        for (const std::uint32_t index : analysis.kernels[kernel].group.launches) {
            if (index >= profile.launches.size()) continue;
            const Launch& launch = profile.launches[index];
            if (!launch.start || !launch.duration) continue;
            const double start = launch.start->value, duration = launch.duration->value;
            if (!std::isfinite(start) || !std::isfinite(duration) || duration < 0) continue;
            Timeline::Row& to = rows[{launch.device, launch.process, launch.stream}];
            to.bars.push_back({.start = start,
                               .end = start + duration,
                               .launch = index,
                               .kernel = static_cast<std::uint32_t>(kernel)});
            if (placed++ == 0) timeline.begin = start;
            timeline.begin = std::min(timeline.begin, start);
            timeline.end = std::max(timeline.end, start + duration);
            occurs[static_cast<std::size_t>(analysis.kernels[kernel].verdict.cls)] = true;
        }
    }
    timeline.notPlaced = profile.launches.size() - placed;
    for (std::size_t i = 0; i < kVerdicts; ++i)
        if (occurs[i]) timeline.verdicts.push_back(static_cast<VerdictClass>(i));
    for (auto& [key, to] : rows)
        if (std::get<1>(key) != std::get<1>(rows.begin()->first)) timeline.severalProcesses = true;
    for (auto& [key, to] : rows) {
        std::tie(to.device, to.process, to.stream) = key;
        to.name = TimelineText::tr("GPU %1 · stream %2").arg(to.device).arg(to.stream);
        if (timeline.severalProcesses)
            to.name += QStringLiteral(" · ") + processName(profile, to.process);
        std::sort(to.bars.begin(), to.bars.end(), [](const auto& a, const auto& b) {
            return std::tie(a.start, a.launch) < std::tie(b.start, b.launch);
        });
        double latest = timeline.begin;
        for (const Timeline::Bar& bar : to.bars)
            to.latestEnd.push_back(latest = std::max(latest, bar.end));
        timeline.rows.push_back(std::move(to));
    }
    return timeline;
}

std::vector<TimelinePiece> layoutTimelineRow(const Analysis& analysis, const Timeline::Row& row,
                                             double from, double to, int width,
                                             const std::vector<bool>& selected) {
    std::vector<TimelinePiece> pieces;
    if (width <= 0 || !(to > from)) return pieces;
    const double scale = width / (to - from);
    std::vector<Column> columns(static_cast<std::size_t>(width));
    const auto [first, last] = row.between(from, to);
    for (std::size_t i = first; i < last; ++i) {
        const Timeline::Bar& bar = row.bars[i];
        const double left = (bar.start - from) * scale, right = (bar.end - from) * scale;
        if (right < 0 || left >= width) continue;
        const VerdictClass verdict = analysis.kernels[bar.kernel].verdict.cls;
        const bool chosen = bar.kernel < selected.size() && selected[bar.kernel];
        if (right - left >= kWide) {
            pieces.push_back({.left = std::max(left, -kWide),
                              .right = std::min(right, width + kWide),
                              .verdict = verdict,
                              .busy = 1,
                              .selected = chosen,
                              .bar = i});
            continue;
        }
        const int end = std::min(width - 1, static_cast<int>(right));
        for (int x = std::max(0, static_cast<int>(left)); x <= end; ++x) {
            Column& column = columns[static_cast<std::size_t>(x)];
            // Even a launch of no length is there to be seen.
            const double share = std::min(right, x + 1.0) - std::max(left, double(x));
            column.time[static_cast<std::size_t>(verdict)] +=
                static_cast<float>(std::max(share, 1e-6));
            column.selected = column.selected || chosen;
        }
    }
    TimelinePiece piece{.busy = 0};
    for (int x = 0; x <= width; ++x) {
        TimelinePiece next{.left = double(x), .right = x + 1.0, .busy = 0};
        if (x < width) {
            const Column& column = columns[static_cast<std::size_t>(x)];
            const auto most = std::max_element(column.time.begin(), column.time.end());
            double sum = 0;
            for (const float time : column.time) sum += double(time);
            if (sum > 0) {
                next.verdict = static_cast<VerdictClass>(most - column.time.begin());
                next.busy = std::ceil(std::min(sum, 1.0) * kSteps) / kSteps;
                next.selected = column.selected;
            }
        }
        if (piece.busy > 0 && next.busy == piece.busy && next.verdict == piece.verdict &&
            next.selected == piece.selected && x < width) {
            piece.right = next.right;
            continue;
        }
        if (piece.busy > 0) pieces.push_back(piece);
        piece = next;
    }
    return pieces;
}

std::optional<TimelineHit> hitTimelineRow(const Timeline::Row& row, double time, double slack) {
    const auto [first, last] = row.between(time - slack, time + slack);
    std::optional<TimelineHit> hit;
    double nearest = 0;
    for (std::size_t i = first; i < last; ++i) {
        const Timeline::Bar& bar = row.bars[i];
        if (bar.end < time - slack) continue;
        const double distance = std::max({0.0, bar.start - time, time - bar.end});
        const auto length = [&](std::size_t k) { return row.bars[k].end - row.bars[k].start; };
        if (!hit) {
            hit = TimelineHit{.bar = i, .others = 0};
            nearest = distance;
            continue;
        }
        ++hit->others;
        // Of those on the same pixel the longest is the one that is seen.
        if (distance < nearest || (distance == nearest && length(i) > length(hit->bar))) {
            hit->bar = i;
            nearest = distance;
        }
    }
    return hit;
}

TimelineTicks timelineTicks(double from, double to, int width, int spacing) {
    TimelineTicks ticks;
    if (!(to > from) || width <= 0) return ticks;
    const double least = (to - from) / width * spacing;
    double step = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (step * factor >= least * 0.999) {
            step *= factor;
            break;
        }
    static constexpr std::array<std::pair<double, const char*>, 4> kUnits{
        {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
    // One unit for all of them: that of the largest, so that differences can be read off.
    const double largest = std::max(std::abs(from), std::abs(to));
    const auto* unit = &kUnits.back();
    for (const auto& candidate : kUnits)
        if (largest >= candidate.first) {
            unit = &candidate;
            break;
        }
    const int digits =
        std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit->first) - 1e-9)), 0, 9);
    for (double n = std::ceil(from / step - 1e-9); n * step <= to; ++n) {
        ticks.times.push_back(n * step);
        ticks.labels.push_back(QStringLiteral("%1 %2").arg(
            QString::number(n * step / unit->first, 'f', digits), QString::fromUtf8(unit->second)));
        if (ticks.times.size() > 1000) break;
    }
    return ticks;
}

QString timelineTooltip(const Analysis& analysis, const Timeline::Row& in, const TimelineHit& hit) {
    const Timeline::Bar& bar = in.bars[hit.bar];
    const KernelAnalysis& kernel = analysis.kernels[bar.kernel];
    QString html = QStringLiteral("<p style='white-space:pre'><b>%1</b></p><table>")
                       .arg(shownText(kernel.name).toHtmlEscaped());
    html += row(TimelineText::tr("Start"), text(Seconds{bar.start}));
    html += row(TimelineText::tr("Duration"), text(Seconds{bar.end - bar.start}));
    html += row(TimelineText::tr("Where"), in.name);
    html += row(TimelineText::tr("Verdict"), verdictText(kernel.verdict));
    if (!kernel.range.empty())
        html += row(TimelineText::tr("NVTX range"), shownText(kernel.range, 80));
    html += QStringLiteral("</table>");
    if (hit.others > 0)
        html += QStringLiteral("<p>%1</p>")
                    .arg(TimelineText::tr("Further launches on this pixel: %1").arg(hit.others));
    return html;
}

QString timelineGapTooltip(const Timeline::Row& in, double time) {
    const auto next =
        std::upper_bound(in.bars.begin(), in.bars.end(), time,
                         [](double t, const Timeline::Bar& bar) { return t < bar.start; });
    if (next == in.bars.begin() || next == in.bars.end()) return {};
    const double before = in.latestEnd[static_cast<std::size_t>(next - in.bars.begin()) - 1];
    if (before >= time) return {};
    return QStringLiteral("<p>%1</p>")
        .arg(TimelineText::tr("No kernel on this stream for %1")
                 .arg(text(Seconds{next->start - before})));
}

QString noTimelineText(const Analysis& analysis) {
    const Profile& profile = *analysis.profile;
    if (profile.launches.empty()) return TimelineText::tr("This profile has no launches.");
    const bool timed =
        std::any_of(profile.launches.begin(), profile.launches.end(),
                    [](const Launch& launch) { return launch.duration.has_value(); });
    return (timed ? TimelineText::tr("This profile does not say when its launches began.")
                  : TimelineText::tr(
                        "This profile has no timing run, so it is not known when its launches "
                        "began.")) +
           QLatin1Char('\n') +
           TimelineText::tr(
               "Record it again: roofscope record makes a timing run unless --timing-repeats 0 is "
               "given.");
}

QString timelineNote(const Timeline& timeline) {
    QStringList notes;
    if (timeline.notPlaced > 0)
        notes << TimelineText::tr("Launches without a start or a duration, not shown: %1")
                     .arg(text(double(timeline.notPlaced)));
    if (timeline.severalProcesses)
        notes << TimelineText::tr(
            "Processes of merged profiles each count from the start of their own "
            "recording");
    return notes.join(QStringLiteral("   ·   "));
}

}  // namespace roofscope::gui
