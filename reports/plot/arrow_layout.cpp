// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/arrow_layout.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/plot/roof_lines.h"
#include "reports/plot/scene.h"

namespace roofscope::plot {

namespace {

/// With more arrows than this, draw only those of the selected kernels.
constexpr std::size_t kManyArrows = 60;

}  // namespace

void drawRing(std::vector<Shape>& to, Point centre, double radius, MarkerShape shape, Role role,
              double opacity) {
    to.push_back(MarkerShapeItem{
        .centre = centre, .radius = radius, .shape = shape, .role = role, .opacity = opacity});
    to.push_back(MarkerShapeItem{.centre = centre,
                                 .radius = std::max(1.0, radius - 1.5),
                                 .shape = shape,
                                 .role = Role::Background});
}

void drawArrow(std::vector<Shape>& to, Point from, Point tip, Role role, double width,
               double opacity) {
    const auto line = [&](Point a, Point b) {
        to.push_back(
            LineShape{.from = a, .to = b, .role = role, .width = width, .opacity = opacity});
    };
    constexpr double kHead = 7, kSpread = 0.42;
    line(from, tip);
    const double angle = std::atan2(from.y - tip.y, from.x - tip.x);
    for (const double turn : {-kSpread, kSpread})
        line(tip, {tip.x + kHead * std::cos(angle + turn), tip.y + kHead * std::sin(angle + turn)});
}

void placeArrows(LayoutCanvas& c) {
    const bool many = c.scene.arrows.size() > kManyArrows * kLevels.size();
    std::set<std::size_t> begun;
    for (std::size_t i = 0; i < c.scene.arrows.size(); ++i) {
        PlacedArrow arrow = c.scene.arrows[i];
        // All levels of selected kernels; of the others only the lowest level, and none if there
        // are too many arrows to follow.
        const bool first = begun.insert(arrow.kernel).second;
        if (!c.emphasised.contains(arrow.kernel) && (many || !first)) continue;
        const auto& [from, to] = c.scene.arrowEnds[i];
        arrow.from = c.atLog(from.x, from.y);
        arrow.to = c.atLog(to.x, to.y);
        if (c.visiblePart({arrow.from, arrow.to})) c.plot.arrows.push_back(arrow);
    }
}

void drawArrows(LayoutCanvas& c) {
    for (const PlacedArrow& placed : c.plot.arrows) {
        const KernelComparison& change = c.options.baseline->comparison.kernels[placed.change];
        const bool emphasised = c.emphasised.contains(placed.kernel);
        // A change within noise keeps the level's shape but loses its colour.
        const Role role = change.duration.changed() ? roleOf(placed.level) : Role::TextMuted;
        const double opacity = c.emphasised.empty() || emphasised ? 0.9 : 0.35;
        drawRing(c.list().clipped, placed.from, placed.radius, shapeOf(placed.level), role,
                 opacity);
        const double dx = placed.to.x - placed.from.x, dy = placed.to.y - placed.from.y;
        const double length = std::hypot(dx, dy);
        const KernelAnalysis& kernel = c.analysis.kernels[placed.kernel];
        const double end = dotRadius(kernel.timeShare) + 1;
        // Too short for an arrow; the ring around the dot shows that it hardly moved.
        if (length < placed.radius + end + 6) continue;
        drawArrow(c.list().clipped,
                  {placed.from.x + dx / length * placed.radius,
                   placed.from.y + dy / length * placed.radius},
                  {placed.to.x - dx / length * end, placed.to.y - dy / length * end}, role,
                  emphasised ? 2.0 : 1.4, opacity);
    }
}

}  // namespace roofscope::plot
