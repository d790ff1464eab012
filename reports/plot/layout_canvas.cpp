// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/layout_canvas.h"

#include <algorithm>

#include "profile/text/utf8.h"
#include "reports/escape/escape.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/plot/fit_viewport.h"
#include "reports/plot/ruler.h"

namespace roofscope::plot {

LayoutCanvas::LayoutCanvas(const Analysis& analysis, const RooflineScene& scene,
                           const RooflineOptions& options, RoofNaming naming)
    : analysis(analysis),
      scene(scene),
      options(options),
      language(options.language),
      naming(naming),
      crowd(scene.dots.size() > RooflineScene::kCrowd) {
    plot.viewport =
        options.viewport && isUsable(*options.viewport) ? *options.viewport : scene.fitted;
    for (const std::size_t kernel : options.marked)
        if (kernel < analysis.kernels.size()) emphasised.insert(kernel);
    if (options.selected && *options.selected < analysis.kernels.size())
        emphasised.insert(*options.selected);
    if (options.found) {
        found.emplace(analysis.kernels.size());
        for (const std::size_t kernel : *options.found)
            if (kernel < found->size()) (*found)[kernel] = true;
    }
}

void LayoutCanvas::text(Point at, std::string words, double size, Role role, Anchor anchor,
                        double angle, bool bold) {
    list().free.push_back(TextShape{.at = at,
                                    .text = std::move(words),
                                    .size = size,
                                    .role = role,
                                    .anchor = anchor,
                                    .angle = angle,
                                    .bold = bold});
}

Point LayoutCanvas::atLog(double x, double y) const {
    const Viewport& v = plot.viewport;
    const Rect& a = plot.area;
    return {a.x + (x - v.xMin) / (v.xMax - v.xMin) * a.w,
            a.y + (1 - (y - v.yMin) / (v.yMax - v.yMin)) * a.h};
}

bool LayoutCanvas::isVisible(Point centre, double radius) const {
    const Rect& a = plot.area;
    return centre.x >= a.x - radius && centre.x <= a.x + a.w + radius && centre.y >= a.y - radius &&
           centre.y <= a.y + a.h + radius;
}

std::optional<Segment> LayoutCanvas::visiblePart(Segment segment) const {
    const Rect& a = plot.area;
    double enter = 0, leave = 1;
    const auto clip = [&](double start, double delta, double low, double high) {
        if (delta == 0) return start >= low && start <= high;
        const double t0 = (low - start) / delta, t1 = (high - start) / delta;
        enter = std::max(enter, std::min(t0, t1));
        leave = std::min(leave, std::max(t0, t1));
        return enter < leave;
    };
    if (!clip(segment.from.x, segment.to.x - segment.from.x, a.x, a.x + a.w) ||
        !clip(segment.from.y, segment.to.y - segment.from.y, a.y, a.y + a.h))
        return std::nullopt;
    const auto at = [&](double t) {
        return Point{segment.from.x + (segment.to.x - segment.from.x) * t,
                     segment.from.y + (segment.to.y - segment.from.y) * t};
    };
    return Segment{at(enter), at(leave)};
}

bool LayoutCanvas::isDimmed(const PlacedDot& dot) const {
    return found && !(*found)[dot.kernel] && !emphasised.contains(dot.kernel);
}

bool LayoutCanvas::isOwn(const Roof& roof) const {
    return options.selected && *options.selected < analysis.kernels.size() &&
           isOwnRoof(roof, analysis.kernels[*options.selected]);
}

std::string LayoutCanvas::levelWords(const PlacedDot& dot) const {
    std::string where = toString(dot.level);
    if (dot.precision.tensor())
        where += std::string(marksOf(language).comma) + arithmeticWords(dot.precision, language);
    return where;
}

std::string fitText(std::string text, double size, double width) {
    if (textWidth(text, size) <= width) return text;
    std::size_t length = utf8::length(text);
    while (length > 1 && textWidth(text, size) > width) text = cleanText(text, --length);
    return text;
}

}  // namespace roofscope::plot
