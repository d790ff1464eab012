// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/label_placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace roofscope::plot {

namespace {

constexpr double kBin = 32;  ///< bin size in pixels

/// A point in the box's coordinates: origin at the centre, axes along the sides.
Point local(const TurnedBox& box, Point p) {
    const double dx = p.x - box.centre.x, dy = p.y - box.centre.y;
    if (box.angle == 0) return {dx, dy};  // the common case, tested against thousands of dots
    const double c = std::cos(box.angle), s = std::sin(box.angle);
    return {dx * c + dy * s, -dx * s + dy * c};
}

std::array<Point, 4> corners(const TurnedBox& box) {
    const double c = std::cos(box.angle), s = std::sin(box.angle);
    std::array<Point, 4> result;
    std::size_t i = 0;
    for (const auto& [sx, sy] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        const double x = sx * box.halfWidth, y = sy * box.halfHeight;
        result[i++] = {box.centre.x + x * c - y * s, box.centre.y + x * s + y * c};
    }
    return result;
}

/// Whether an axis of `a` separates the boxes.
bool separated(const TurnedBox& a, const TurnedBox& b) {
    double minX = 1e300, maxX = -1e300, minY = 1e300, maxY = -1e300;
    for (const Point& corner : corners(b)) {
        const Point p = local(a, corner);
        minX = std::min(minX, p.x);
        maxX = std::max(maxX, p.x);
        minY = std::min(minY, p.y);
        maxY = std::max(maxY, p.y);
    }
    return minX > a.halfWidth || maxX < -a.halfWidth || minY > a.halfHeight || maxY < -a.halfHeight;
}

double side(const Segment& s, Point p) {
    return (s.to.x - s.from.x) * (p.y - s.from.y) - (s.to.y - s.from.y) * (p.x - s.from.x);
}

}  // namespace

bool overlap(const TurnedBox& a, const TurnedBox& b) {
    return !separated(a, b) && !separated(b, a);
}

bool overlap(const TurnedBox& box, const Segment& segment) {
    // Liang-Barsky clipping: overlap if a part of the segment is inside the box.
    const Point from = local(box, segment.from), to = local(box, segment.to);
    double enter = 0, leave = 1;
    const auto clip = [&](double start, double delta, double half) {
        if (delta == 0) return std::abs(start) <= half;
        const double t0 = (-half - start) / delta, t1 = (half - start) / delta;
        enter = std::max(enter, std::min(t0, t1));
        leave = std::min(leave, std::max(t0, t1));
        return enter <= leave;
    };
    return clip(from.x, to.x - from.x, box.halfWidth) &&
           clip(from.y, to.y - from.y, box.halfHeight);
}

bool overlap(const TurnedBox& box, Point centre, double radius) {
    const Point p = local(box, centre);
    const double dx = std::max(0.0, std::abs(p.x) - box.halfWidth);
    const double dy = std::max(0.0, std::abs(p.y) - box.halfHeight);
    return dx * dx + dy * dy < radius * radius;
}

bool cross(const Segment& a, const Segment& b) {
    return side(a, b.from) * side(a, b.to) < 0 && side(b, a.from) * side(b, a.to) < 0;
}

bool inside(const TurnedBox& box, const Rect& area) {
    const auto points = corners(box);
    return std::ranges::all_of(points, [&](const Point& p) {
        return p.x >= area.x && p.x <= area.x + area.w && p.y >= area.y && p.y <= area.y + area.h;
    });
}

LabelPlacement::LabelPlacement(Rect area)
    : m_area(area),
      m_columns(std::clamp(static_cast<int>(area.w / kBin) + 1, 1, 1000)),
      m_rows(std::clamp(static_cast<int>(area.h / kBin) + 1, 1, 1000)) {
    m_bins.resize(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows));
}

void LabelPlacement::addDot(Point centre, double radius) {
    const int column = static_cast<int>((centre.x - m_area.x) / kBin);
    const int row = static_cast<int>((centre.y - m_area.y) / kBin);
    m_maxRadius = std::max(m_maxRadius, radius);
    const auto bin = static_cast<std::size_t>(std::clamp(row, 0, m_rows - 1)) *
                         static_cast<std::size_t>(m_columns) +
                     static_cast<std::size_t>(std::clamp(column, 0, m_columns - 1));
    // Hundreds of dots on one spot block it no more than a few.
    constexpr std::size_t kMostPerBin = 64;
    if (m_bins[bin].size() < kMostPerBin) m_bins[bin].push_back({centre, radius});
}

template <class Visit>
void LabelPlacement::visitTouched(const TurnedBox& box, const Visit& visit) const {
    double minX = 1e300, maxX = -1e300, minY = 1e300, maxY = -1e300;
    for (const Point& corner : corners(box)) {
        minX = std::min(minX, corner.x);
        maxX = std::max(maxX, corner.x);
        minY = std::min(minY, corner.y);
        maxY = std::max(maxY, corner.y);
    }
    const auto column = [&](double x) {
        return std::clamp(static_cast<int>((x - m_area.x) / kBin), 0, m_columns - 1);
    };
    const auto row = [&](double y) {
        return std::clamp(static_cast<int>((y - m_area.y) / kBin), 0, m_rows - 1);
    };
    for (int r = row(minY - m_maxRadius); r <= row(maxY + m_maxRadius); ++r)
        for (int c = column(minX - m_maxRadius); c <= column(maxX + m_maxRadius); ++c)
            for (const Dot& dot :
                 m_bins[static_cast<std::size_t>(r) * static_cast<std::size_t>(m_columns) +
                        static_cast<std::size_t>(c)])
                if (overlap(box, dot.centre, dot.radius) && !visit(dot)) return;
}

bool LabelPlacement::isFree(const TurnedBox& box, std::optional<std::size_t> ownLine, bool overDots,
                            bool overLines) const {
    if (!inside(box, m_area)) return false;
    for (const TurnedBox& other : m_boxes)
        if (overlap(box, other)) return false;
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        if (!overLines && i != ownLine && overlap(box, m_lines[i])) return false;
    for (const Segment& leader : m_leaders)
        if (!overLines && overlap(box, leader)) return false;
    bool free = true;
    if (!overDots) visitTouched(box, [&](const Dot&) { return free = false; });
    return free;
}

double LabelPlacement::covered(const TurnedBox& box) const {
    double sum = 0;
    visitTouched(box, [&](const Dot& dot) {
        sum += dot.radius * dot.radius;
        return true;
    });
    return sum;
}

bool LabelPlacement::leaderIsFree(const Segment& leader) const {
    return std::ranges::none_of(m_boxes,
                                [&](const TurnedBox& box) { return overlap(box, leader); }) &&
           std::ranges::none_of(m_leaders,
                                [&](const Segment& other) { return cross(leader, other); });
}

bool LabelPlacement::crossesLine(const Segment& way) const {
    return std::ranges::any_of(m_lines, [&](const Segment& line) { return cross(way, line); });
}

std::optional<LabelPlacement::Placed> LabelPlacement::placeNear(Point dot, double radius,
                                                                double width, double height,
                                                                bool acrossLines) {
    constexpr double kGap = 3;       // between a dot and its label
    constexpr double kTouching = 8;  // labels further away get a leader
    constexpr std::array kDistances{kGap, 12.0, 22.0, 34.0, 48.0, 64.0, 84.0, 108.0};
    // Right first, where readers look, then left, above, below, then diagonals.
    constexpr std::array kDirections{0,   180, -90,  90,  -30, 30, -150, 150,
                                     -60, 60,  -120, 120, -15, 15, -165, 165};
    const double halfWidth = width / 2, halfHeight = height / 2;
    for (const double distance : kDistances) {
        for (const int degrees : kDirections) {
            const double angle = degrees * std::numbers::pi / 180;
            const double dx = std::cos(angle), dy = std::sin(angle);
            // `distance` is from the dot to the nearest point of the label, not to its centre.
            const double reach = radius + distance;
            const double sideways = std::clamp(dx * 1.6, -1.0, 1.0) * halfWidth;
            const double upright = std::clamp(dy * 1.6, -1.0, 1.0) * halfHeight;
            const TurnedBox box{
                .centre = {dot.x + dx * reach + sideways, dot.y + dy * reach + upright},
                .halfWidth = halfWidth,
                .halfHeight = halfHeight};
            if (!isFree(box)) continue;
            if (!(acrossLines && distance > kTouching) && crossesLine({dot, box.centre})) continue;
            Placed placed{.box = box};
            if (distance > kTouching) {
                placed.leader = leaderTo(box, dot, radius);
                if (!leaderIsFree(*placed.leader)) continue;
                m_leaders.push_back(*placed.leader);
            }
            m_boxes.push_back(box);
            return placed;
        }
    }
    return std::nullopt;
}

Segment LabelPlacement::leaderTo(const TurnedBox& box, Point dot, double radius) {
    const Point end{
        std::clamp(dot.x, box.centre.x - box.halfWidth, box.centre.x + box.halfWidth),
        std::clamp(dot.y, box.centre.y - box.halfHeight, box.centre.y + box.halfHeight)};
    const double length = std::hypot(end.x - dot.x, end.y - dot.y);
    const double start = std::min(1.0, radius / std::max(length, 1e-9));
    return {{dot.x + (end.x - dot.x) * start, dot.y + (end.y - dot.y) * start}, end};
}

std::optional<TurnedBox> LabelPlacement::nearest(const Segment& to, double width, double height,
                                                 const Cost& cost) const {
    // Costs in pixels of distance: covering a dot of radius 4 costs 8.
    constexpr double kOnDots = 0.5, kOnLine = 12, kBeside = 3;
    struct Place {
        double away;
        TurnedBox box;
    };
    std::vector<Place> places;
    const auto add = [&](double x, double y) {
        const double dx = std::abs(x - std::clamp(x, to.from.x, to.to.x)) - width / 2;
        const double dy = std::abs(y - to.to.y) - height / 2;
        places.push_back(
            {.away = std::hypot(std::max(0.0, dx), std::max(0.0, dy)),
             .box = {.centre = {x, y}, .halfWidth = width / 2, .halfHeight = height / 2}});
    };
    add(to.to.x + kBeside + width / 2, to.to.y);
    add(to.from.x - kBeside - width / 2, to.to.y);
    const double right = m_area.x + m_area.w - width / 2;
    for (double y = m_area.y + height / 2; y < m_area.y + m_area.h; y += height / 4) {
        for (double x = m_area.x + width / 2; x < right; x += width / 4) add(x, y);
        add(right, y);
    }
    std::ranges::stable_sort(places, {}, &Place::away);
    std::optional<TurnedBox> best;
    double least = 0;
    for (const auto& [away, box] : places) {
        double sum = away;
        if (best && sum >= least) break;
        if (!isFree(box, {}, true, true)) continue;
        sum += cost(box);
        if (!std::isfinite(sum) || (best && sum >= least)) continue;
        sum += kOnDots * covered(box);
        if (!isFree(box, {}, true, false)) sum += kOnLine;
        if (best && sum >= least) continue;
        best = box;
        least = sum;
    }
    return best;
}

}  // namespace roofscope::plot
