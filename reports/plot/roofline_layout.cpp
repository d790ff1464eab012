// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/roofline_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "reports/language/say.h"
#include "reports/plot/arrow_layout.h"
#include "reports/plot/dot_layout.h"
#include "reports/plot/layout_canvas.h"
#include "reports/plot/layout_frame.h"
#include "reports/plot/margin_names.h"
#include "reports/plot/roof_lines.h"
#include "reports/plot/roof_names.h"
#include "reports/plot/ruler.h"
#include "reports/plot/scene.h"

namespace roofscope::plot {

namespace {

/// Draws the roofs and adds them and the dots to `labels` as obstacles. Returns the visible roofs.
std::vector<ShownRoof> drawRoofs(LayoutCanvas& c, const RoofLines& roofs, LabelPlacement& labels) {
    std::vector<ShownRoof> shown;
    for (const RoofLine& line : roofs.lines) {
        const auto part =
            c.visiblePart({c.atLog(line.from.x, line.from.y), c.atLog(line.to.x, line.to.y)});
        if (!part) continue;
        c.list().clipped.push_back(
            LineShape{.from = part->from,
                      .to = part->to,
                      .role = line.role,
                      .width = (line.roof->measured ? 2.0 : 1.5) + (c.isOwn(*line.roof) ? 1.2 : 0),
                      .dashed = !line.roof->measured});
        shown.push_back({.line = &line, .part = *part});
        labels.addLine(*part);
    }
    for (const RidgePoint& ridge : roofs.ridges) {
        const Point at = c.atLog(ridge.at.x, ridge.at.y);
        c.list().clipped.push_back(MarkerShapeItem{
            .centre = at, .radius = 4, .shape = MarkerShape::Circle, .role = ridge.role});
        c.list().clipped.push_back(MarkerShapeItem{
            .centre = at, .radius = 2.4, .shape = MarkerShape::Circle, .role = Role::Background});
        labels.addDot(at, 5);
    }
    for (const PlacedDot& dot : c.plot.dots)
        if (c.isVisible(dot.centre, dot.radius)) labels.addDot(dot.centre, dot.radius + 1);
    for (const PlacedArrow& arrow : c.plot.arrows) labels.addDot(arrow.from, arrow.radius + 1);
    return shown;
}

void writeRoofName(LayoutCanvas& c, const RoofName& name) {
    // Centre the capitals vertically in the box.
    const double down = kLabelSize * 0.36, angle = name.box.angle;
    c.text({name.box.centre.x - std::sin(angle) * down, name.box.centre.y + std::cos(angle) * down},
           name.text, kLabelSize, name.role, Anchor::Middle, angle * 180 / std::numbers::pi);
    std::get<TextShape>(c.list().free.back()).halo = name.overDots;
}

/// Returns whether every compute roof has an unambiguous name.
bool writeRoofNames(LayoutCanvas& c, std::vector<ShownRoof> roofs, MarginNames& margin,
                    LabelPlacement& labels) {
    const auto ofArithmetic = [](const ShownRoof& roof) {
        return roof.line->roof->kind == Roof::Kind::Compute;
    };
    // Compute roofs are named in the margin instead; they are the last lines.
    if (margin.shown()) {
        std::erase_if(roofs, ofArithmetic);
        margin.write();
    }
    const std::vector<RoofName> names =
        nameRoofs(labels, roofs, kLabelSize, c.crowd, c.naming != RoofNaming::Beside, c.language);
    for (const RoofName& name : names) writeRoofName(c, name);
    if (margin.shown()) return margin.complete();
    if (c.naming == RoofNaming::Legend) return true;
    return std::ranges::all_of(roofs, [&](const ShownRoof& roof) {
        return !ofArithmetic(roof) || std::ranges::any_of(names, [&](const RoofName& name) {
            return name.roof == roof.line->name && !name.overLines;
        });
    });
}

/// The ruler as drawn: from a dot up to a short horizontal roof.
struct DrawnRuler {
    Point from, to;
    double radius = 0;  ///< radius of the dot
    double halfRoof = 0;
    [[nodiscard]] Segment way() const { return {from, to}; }
    [[nodiscard]] Segment roof() const {
        return {{to.x - halfRoof, to.y}, {to.x + halfRoof, to.y}};
    }
};

/// The place for the ruler's words. Never on a name, since selecting must not move names; as near
/// to the upper end as possible, but preferably not on other dots or roofs. Nullopt if there is no
/// room, because clipped words are useless.
std::optional<TurnedBox> placeOfRulerWords(const LabelPlacement& labels, const DrawnRuler& ruling,
                                           double width, double height) {
    constexpr double kOnRoof = 60;
    const auto cost = [&](const TurnedBox& box) {
        if (overlap(box, ruling.way()) || overlap(box, ruling.from, ruling.radius))
            return std::numeric_limits<double>::infinity();
        return overlap(box, ruling.roof()) ? kOnRoof : 0;
    };
    return labels.nearest(ruling.roof(), width, height, cost);
}

void writeRuler(LayoutCanvas& c, const LabelPlacement& labels, const std::string& words,
                const DrawnRuler& ruling) {
    const double width = textWidth(words, kLabelSize) * 1.1 + 8, height = kLabelSize + 5;
    const auto box = placeOfRulerWords(labels, ruling, width, height);
    if (!box) return;
    const double left = box->centre.x - width / 2, top = box->centre.y - height / 2;
    // Draw a leader to words that are further away.
    constexpr double kApart = 20;
    const Point end{std::clamp(ruling.to.x, left, left + width),
                    std::clamp(ruling.to.y, top, top + height)};
    const Point begin{
        std::clamp(end.x, ruling.to.x - ruling.halfRoof, ruling.to.x + ruling.halfRoof),
        ruling.to.y};
    if (std::hypot(end.x - begin.x, end.y - begin.y) > kApart)
        c.list().free.push_back(
            LineShape{.from = begin, .to = end, .role = Role::TextMuted, .width = 0.8});
    c.list().free.push_back(RectShape{.rect = {left, top, width, height},
                                      .fill = Role::Background,
                                      .opacity = 0.92,
                                      .radius = 2});
    c.text({left + 4, top + height / 2 + kLabelSize * 0.36}, words, kLabelSize, Role::Highlight,
           Anchor::Start, 0, true);
}

/// Draws the ruler from the selected kernel's dot to what limits it.
void drawRuler(LayoutCanvas& c, const LabelPlacement& labels) {
    if (!c.options.selected || *c.options.selected >= c.analysis.kernels.size()) return;
    const KernelAnalysis& kernel = c.analysis.kernels[*c.options.selected];
    if (kernel.group.device != c.options.device) return;
    const bool shown = std::ranges::any_of(
        c.scene.dots, [&](const PlacedDot& dot) { return dot.kernel == *c.options.selected; });
    const auto ruler = shown ? rulerOf(kernel, c.options) : std::nullopt;
    if (!ruler) return;
    const double x = std::log10(ruler->dot.intensity.value);
    const Point from = c.atLog(x, std::log10(ruler->dot.rate.value));
    const Point to = c.atLog(x, std::log10(ruler->rate));
    if (!c.isVisible(from, 0)) return;
    const double radius = dotRadius(kernel.timeShare) + 4;
    const auto line = [&](Point a, Point b) {
        c.list().clipped.push_back(
            LineShape{.from = a, .to = b, .role = Role::Highlight, .width = 2});
    };
    if (from.y - to.y > radius) line({from.x, from.y - radius}, to);
    // The roof at its end: one of the plot, or that of a pipe that has none in the plot.
    constexpr double kHalf = 46;
    line({to.x - kHalf, to.y}, {to.x + kHalf, to.y});
    // A Latin name also needs a space before Chinese words.
    const bool latin =
        !ruler->name.empty() && static_cast<unsigned char>(ruler->name.back()) < 0x80;
    const std::string words =
        ruler->name + (latin ? " " : std::string(marksOf(c.language).gap)) + ruler->gap;
    writeRuler(c, labels, words, {.from = from, .to = to, .radius = radius, .halfRoof = kHalf});
    c.plot.ruler = {.kernel = *c.options.selected, .from = from, .to = to, .text = words};
}

void emptyNote(LayoutCanvas& c) {
    const Rect& a = c.plot.area;
    c.text({a.x + a.w / 2, a.y + a.h - 24},
           say(c.language, "No kernel with counted floating-point operations"), kTextSize,
           Role::TextMuted, Anchor::Middle);
}

/// Returns whether every compute roof has a name.
bool layOut(LayoutCanvas& canvas) {
    const RoofLines lines = roofLines(canvas.analysis, canvas.options, canvas.plot.viewport);
    MarginNames margin(canvas, lines);
    describePlot(canvas);
    drawFrame(canvas, lines, margin);
    DotLayout dots(canvas);
    placeArrows(canvas);
    LabelPlacement labels(canvas.plot.area);
    if (canvas.crowd) dots.draw();
    const std::vector<ShownRoof> roofs = drawRoofs(canvas, lines, labels);
    const bool named = writeRoofNames(canvas, roofs, margin, labels);
    drawArrows(canvas);
    if (!canvas.crowd) dots.draw();
    dots.write(labels);
    drawRuler(canvas, labels);
    if (canvas.scene.dots.empty()) emptyNote(canvas);
    return named;
}

}  // namespace

RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineScene& scene,
                            const RooflineOptions& options) {
    for (const RoofNaming naming : {RoofNaming::Beside, RoofNaming::Short}) {
        LayoutCanvas canvas(analysis, scene, options, naming);
        if (layOut(canvas)) return std::move(canvas.plot);
    }
    LayoutCanvas canvas(analysis, scene, options, RoofNaming::Legend);
    layOut(canvas);
    return std::move(canvas.plot);
}

RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineOptions& options) {
    return layoutRoofline(analysis, collectScene(analysis, options), options);
}

}  // namespace roofscope::plot
