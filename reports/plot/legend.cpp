// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/legend.h"

#include <algorithm>
#include <cmath>

#include "reports/language/say.h"
#include "reports/plot/arrow_layout.h"

namespace roofscope::plot {

namespace {

struct LegendItem {
    std::string label;
    std::optional<Level> level;
    bool line = false, dashed = false, arrow = false;
    Role role = Role::Text;  ///< of the line
};

/// How compact the legend is: short words and lines save rows, and a level's marker can also stand
/// for its roof.
struct LegendStyle {
    bool brief = false;       ///< short words
    bool notes = true;        ///< notes about dots
    bool lineKinds = true;    ///< explain dashed and solid lines
    bool levelLines = false;  ///< draw a level's roof line through its marker
    double lineWidth = 29;
};

LegendStyle styleOf(const LayoutCanvas& c) {
    constexpr double kRoomForNotes = 400, kRoomForWords = 420, kRoomForKinds = 200;
    const double width = c.options.width, height = c.options.height;
    const bool brief = width < kRoomForWords;
    return {.brief = brief,
            .notes = height >= kRoomForNotes,
            .lineKinds = height >= kRoomForKinds || c.options.framed,
            .levelLines = height < kRoomForNotes,
            .lineWidth = brief ? 22.0 : 29.0};
}

/// One item per compute roof name in view, highest first.
std::vector<LegendItem> roofItems(const LayoutCanvas& c, const RoofLines& roofs) {
    std::vector<const RoofLine*> shown;
    for (const RoofLine& line : roofs.lines) {
        if (line.roof->kind != Roof::Kind::Compute) continue;
        const double log = std::log10(line.roof->rate);
        if (log < c.plot.viewport.yMin || log > c.plot.viewport.yMax) continue;
        if (std::ranges::find(shown, line.name, &RoofLine::name) == shown.end())
            shown.push_back(&line);
    }
    std::ranges::stable_sort(
        shown, [](const RoofLine* a, const RoofLine* b) { return a->roof->rate > b->roof->rate; });
    std::vector<LegendItem> items;
    for (const RoofLine* line : shown)
        items.push_back({.label = line->name, .line = true, .role = line->role});
    return items;
}

std::vector<LegendItem> itemsOf(const LayoutCanvas& c, const RoofLines& roofs,
                                const LegendStyle& style) {
    std::vector<LegendItem> items;
    for (const Level level : kLevels)
        if (c.options.levels[level])
            items.push_back({.label = level == Level::Shared ? say(c.language, "shared memory")
                                                             : toString(level),
                             .level = level});
    if (c.naming == RoofNaming::Legend)
        std::ranges::move(roofItems(c, roofs), std::back_inserter(items));
    const auto hasRoof = [&](bool measured) {
        return std::ranges::any_of(c.analysis.roofs, [&](const Roof& roof) {
            return roof.device == c.options.device && roof.measured == measured;
        });
    };
    if (style.lineKinds && hasRoof(false))
        items.push_back({.label = style.brief ? say(c.language, "theoretical")
                                              : say(c.language, "theoretical roof"),
                         .line = true,
                         .dashed = true});
    if (style.lineKinds && hasRoof(true))
        items.push_back(
            {.label = style.brief ? say(c.language, "measured") : say(c.language, "measured roof"),
             .line = true});
    if (!c.scene.arrows.empty())
        items.push_back({.label = (c.options.baseline->analysis->profile == c.analysis.profile
                                       ? say(c.language, "from one kernel to the other")
                                       : say(c.language, "since the baseline")),
                         .arrow = true});
    if (!style.notes) return items;
    items.push_back({.label = say(c.language, "dot area: share of GPU time")});
    if (c.scene.coincide) {
        items.push_back({.label = say(c.language, "coinciding levels of a kernel: DRAM on top")});
    }
    return items;
}

void drawItem(LayoutCanvas& c, const LegendItem& item, const LegendStyle& style, Point at) {
    const double middle = at.y - 4;
    const auto line = [&](double to, Role role, bool dashed) {
        c.list().free.push_back(LineShape{.from = {at.x, middle},
                                          .to = {at.x + to, middle},
                                          .role = role,
                                          .width = 1.6,
                                          .dashed = dashed});
    };
    if (item.level) {
        if (style.levelLines) line(12, roleOf(*item.level), false);
        c.list().free.push_back(MarkerShapeItem{.centre = {at.x + 6, middle},
                                                .radius = style.levelLines ? 4.0 : 5.0,
                                                .shape = shapeOf(*item.level),
                                                .role = roleOf(*item.level)});
    }
    if (item.line) line(style.lineWidth, item.role, item.dashed);
    if (item.arrow) {
        drawRing(c.list().free, {at.x + 5, middle}, 4, MarkerShape::Circle, Role::Text, 1);
        drawArrow(c.list().free, {at.x + 9, middle}, {at.x + 29, middle}, Role::Text, 1.4, 1);
    }
}

}  // namespace

double drawLegend(LayoutCanvas& c, const RoofLines& roofs, Point first, double right) {
    constexpr double kRow = 19, kGap = 16;
    const LegendStyle style = styleOf(c);
    Point at = first;
    for (const LegendItem& item : itemsOf(c, roofs, style)) {
        const double symbol = item.level   ? 18
                              : item.arrow ? 36
                              : item.line  ? style.lineWidth + 7
                                           : 0;
        const double width = symbol + textWidth(item.label, kTextSize);
        if (at.x > first.x && at.x + width > right) at = {first.x, at.y + kRow};
        drawItem(c, item, style, at);
        c.text({at.x + symbol, at.y}, item.label, kTextSize,
               symbol > 0 ? Role::Text : Role::TextMuted);
        at.x += width + kGap;
    }
    return at.y;
}

}  // namespace roofscope::plot
