// SPDX-License-Identifier: Apache-2.0
// Layout, hit testing and ticks of a timeline.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/models/timeline/timeline.h"

namespace roofscope::gui {
namespace {

/// Bars of at least this width in pixels are drawn individually.
constexpr double kWide = 3;
/// The busy share is rounded up to eighths; equal neighbouring pixels form one piece.
constexpr double kSteps = 8;

/// What ran within one pixel.
struct Column {
    std::array<float, kTimelineTones> time{};
    bool selected = false;
};

}  // namespace

std::pair<std::size_t, std::size_t> Timeline::Row::between(double from, double to) const {
    const auto first = latestEnds.empty()
                           ? std::ranges::lower_bound(bars, from, {}, &Bar::end) - bars.begin()
                           : std::ranges::lower_bound(latestEnds, from) - latestEnds.begin();
    const auto last = std::upper_bound(
        bars.begin(), bars.end(), to, [](double time, const Bar& bar) { return time < bar.start; });
    const auto begin = static_cast<std::size_t>(first);
    return {begin, std::max(begin, static_cast<std::size_t>(last - bars.begin()))};
}

std::vector<TimelinePiece> layoutTimelineRow(const Timeline::Row& row, double from, double to,
                                             int width, const std::vector<bool>& selected) {
    std::vector<TimelinePiece> pieces;
    if (width <= 0 || !(to > from)) return pieces;
    const double scale = width / (to - from);
    std::vector<Column> columns(static_cast<std::size_t>(width));
    const auto [first, last] = row.between(from, to);
    for (std::size_t i = first; i < last; ++i) {
        const Timeline::Bar& bar = row.bars[i];
        const double left = (bar.start - from) * scale, right = (bar.end - from) * scale;
        if (right < 0 || left >= width) continue;
        const bool chosen = row.kind == Timeline::RowKind::Kernels &&
                            bar.kernel < selected.size() && selected[bar.kernel];
        if (right - left >= kWide) {
            pieces.push_back({.left = std::max(left, -kWide),
                              .right = std::min(right, width + kWide),
                              .tone = bar.tone,
                              .busy = 1,
                              .selected = chosen,
                              .bar = i});
            continue;
        }
        const int end = std::min(width - 1, static_cast<int>(right));
        for (int x = std::max(0, static_cast<int>(left)); x <= end; ++x) {
            Column& column = columns[static_cast<std::size_t>(x)];
            // At least a tiny share: bars of length 0 must be visible, too.
            const double share = std::min(right, x + 1.0) - std::max(left, double(x));
            column.time[static_cast<std::size_t>(bar.tone)] +=
                static_cast<float>(std::max(share, 1e-6));
            column.selected = column.selected || chosen;
        }
    }
    TimelinePiece piece{.busy = 0};
    for (int x = 0; x <= width; ++x) {
        TimelinePiece next{.left = double(x), .right = x + 1.0, .busy = 0};
        if (x < width) {
            const Column& column = columns[static_cast<std::size_t>(x)];
            const auto most = std::ranges::max_element(column.time);
            double sum = 0;
            for (const float time : column.time) sum += double(time);
            if (sum > 0) {
                next.tone = static_cast<TimelineTone>(most - column.time.begin());
                next.busy = std::ceil(std::min(sum, 1.0) * kSteps) / kSteps;
                next.selected = column.selected;
            }
        }
        if (piece.busy > 0 && next.busy == piece.busy && next.tone == piece.tone &&
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
            hit = TimelineHit{.bar = i};
            nearest = distance;
            continue;
        }
        ++hit->others;
        // Of several at the same distance take the longest: it is the one that is visible.
        if (distance < nearest || (distance == nearest && length(i) > length(hit->bar))) {
            hit->bar = i;
            nearest = distance;
        }
    }
    return hit;
}

std::vector<std::optional<double>> placeTickLabels(const std::vector<double>& ticks,
                                                   const std::vector<double>& widths, double left,
                                                   double right) {
    constexpr double kBetween = 6;
    std::vector<std::optional<double>> places;
    double free = left;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double at = std::max(left, std::min(ticks[i] - widths[i] / 2, right - widths[i]));
        const bool fits = at >= free && at + widths[i] <= right;
        places.push_back(fits ? std::optional(at) : std::nullopt);
        if (fits) free = at + widths[i] + kBetween;
    }
    return places;
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
    // The same unit for all labels, chosen for the largest, so that differences are easy to read.
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

}  // namespace roofscope::gui
