// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/roofline_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "analyzer/roofline.h"
#include "reports/escape.h"
#include "reports/language/wording.h"
#include "reports/number_format.h"
#include "reports/plot/fit_viewport.h"
#include "reports/plot/label_placement.h"
#include "reports/plot/roof_lines.h"
#include "reports/plot/ticks.h"
#include "reports/utf8.h"

namespace roofscope::plot {

namespace {

constexpr double kTitleSize = 16, kTextSize = 12, kLabelSize = 11;
constexpr double kMinRadius = 3.5, kMaxRadius = 18;
/// With more kernels than this, only the largest get labels: hundreds would be a grey haze.
constexpr std::size_t kLabelAll = 60, kLabelMany = 14;
/// With more dots than this they are drawn fainter and below the roofs.
constexpr std::size_t kCrowd = 600;

/// Area in proportion to the share of GPU time, within what can be seen and what hides no others.
double dotRadius(const Derived<Ratio>& share) {
    if (!share.has() || !(share->value > 0)) return kMinRadius;
    return std::clamp(kMaxRadius * std::sqrt(share->value), kMinRadius, kMaxRadius);
}

std::string shorten(std::string text, std::size_t length) {
    if (utf8::length(text) <= length) return text;
    return cleanText(text, length);
}

/// Cuts a text to a width in pixels.
std::string fitText(std::string text, double size, double width) {
    if (textWidth(text, size) <= width) return text;
    std::size_t length = utf8::length(text);
    while (length > 1 && textWidth(text, size) > width) text = cleanText(text, --length);
    return text;
}

std::vector<std::string> wrapText(const std::string& text, double size, double width) {
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        at = end + 1;
        const std::string longer = line.empty() ? word : line + " " + word;
        if (!line.empty() && textWidth(longer, size) > width) {
            lines.push_back(line);
            line = word;
        } else {
            line = longer;
        }
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

/// Kernels that have no place in the plot, by reason.
struct NotShown {
    std::size_t noOperations = 0, tensor = 0, unknown = 0;

    [[nodiscard]] std::string words(const Wording& w) const {
        std::vector<std::string> reasons;
        if (noOperations > 0) reasons.push_back(w.plot.noOperations(noOperations));
        if (tensor > 0) reasons.push_back(w.plot.onTensor(tensor));
        if (unknown > 0) reasons.push_back(w.plot.missing(unknown));
        if (reasons.empty()) return {};
        std::string text;
        for (std::size_t i = 0; i < reasons.size(); ++i)
            text += (i == 0                    ? std::string()
                     : i + 1 == reasons.size() ? w.plot.and_.str()
                                               : w.common.comma.str()) +
                    reasons[i];
        return noOperations + tensor + unknown == 1 ? w.plot.isNotShown(text)
                                                    : w.plot.areNotShown(text);
    }
};

class Layout {
public:
    Layout(const Analysis& analysis, const RooflineOptions& options)
        : m_analysis(analysis), m_options(options), m_w(wordingOf(options.language)) {}

    RooflinePlot run() {
        collectDots();
        m_plot.viewport = m_options.viewport && isUsable(*m_options.viewport)
                              ? *m_options.viewport
                              : fitViewport(m_plot.dots, m_analysis.roofs, m_options);
        describe();
        frame();
        grid();
        placeDots();
        chooseLabels();
        LabelPlacement labels(m_plot.area);
        const bool crowd = m_plot.dots.size() > kCrowd;
        if (crowd) drawDots(crowd);
        roofs(labels);
        if (!crowd) drawDots(crowd);
        labelKernels(labels);
        if (m_plot.dots.empty()) emptyNote();
        return std::move(m_plot);
    }

private:
    DrawList& list() { return m_plot.shapes; }
    void text(Point at, std::string words, double size, Role role, Anchor anchor = Anchor::Start,
              double angle = 0, bool bold = false) {
        list().free.push_back(TextShape{.at = at,
                                        .text = std::move(words),
                                        .size = size,
                                        .role = role,
                                        .anchor = anchor,
                                        .angle = angle,
                                        .bold = bold});
    }

    void collectDots() {
        std::vector<std::size_t> kernels = m_options.kernels;
        if (kernels.empty()) {
            kernels.resize(m_analysis.kernels.size());
            std::iota(kernels.begin(), kernels.end(), std::size_t{0});
        }
        for (const std::size_t index : kernels) {
            if (index >= m_analysis.kernels.size()) continue;
            const KernelAnalysis& kernel = m_analysis.kernels[index];
            if (kernel.group.device != m_options.device) continue;
            ++m_kernels;
            if (kernel.points.empty()) {
                const auto& tensor = kernel.quantities.tensorUtilisation;
                const auto counted = [&](Precision precision) {
                    return kernel.quantities.flops[precision].has();
                };
                if (tensor.has() && tensor->value >= kTensorInUse)
                    ++m_notShown.tensor;
                else if (counted(Precision::Fp32) && counted(Precision::Fp64) &&
                         kernel.quantities.flops[Precision::Fp32]->value <= 0 &&
                         kernel.quantities.flops[Precision::Fp64]->value <= 0)
                    ++m_notShown.noOperations;
                else
                    ++m_notShown.unknown;
            }
            for (const RooflinePoint& point : kernel.points) {
                // log(0) has no place on these axes.
                if (!m_options.levels[point.level] || !(point.intensity.value > 0) ||
                    !(point.rate.value > 0) || !std::isfinite(point.intensity.value) ||
                    !std::isfinite(point.rate.value))
                    continue;
                m_plot.dots.push_back({.kernel = index,
                                       .level = point.level,
                                       .precision = point.precision,
                                       .centre = {},
                                       .radius = dotRadius(kernel.timeShare),
                                       .intensity = point.intensity,
                                       .rate = point.rate});
            }
        }
        // Large ones first, so that small ones lie on top and can be seen and clicked.
        // A streaming kernel has the same intensity at all levels: the circle of DRAM goes on top,
        // where the corners of the square and the triangle below it stick out.
        std::stable_sort(m_plot.dots.begin(), m_plot.dots.end(),
                         [](const PlacedDot& a, const PlacedDot& b) {
                             return a.radius != b.radius ? a.radius > b.radius : a.level > b.level;
                         });
    }

    void describe() {
        const auto& devices = m_analysis.profile ? m_analysis.profile->devices : m_noDevices;
        const std::string gpu = m_options.device < devices.size()
                                    ? cleanText(devices[m_options.device].name, 60)
                                    : std::string();
        m_plot.title = m_options.title.empty()
                           ? (gpu.empty() ? m_w.plot.roofline.str() : m_w.plot.titleOf(gpu))
                           : cleanText(m_options.title, 200);
        m_plot.description = m_w.plot.describe(m_kernels) +
                             (gpu.empty() ? std::string() : m_w.plot.on(gpu)) + m_w.common.stop;
        if (!m_plot.dots.empty()) {
            // Kernels are in order of total time; the lowest level of the first one that is shown.
            const PlacedDot& dot = *std::min_element(
                m_plot.dots.begin(), m_plot.dots.end(), [](const auto& x, const auto& y) {
                    return x.kernel != y.kernel ? x.kernel < y.kernel : x.level < y.level;
                });
            const KernelAnalysis& kernel = m_analysis.kernels[dot.kernel];
            m_plot.description +=
                m_w.common.gap.str() +
                m_w.plot.most(cleanText(kernel.name, 80),
                              formatNumber(dot.rate.value, Unit::FlopsPerSecond),
                              formatIntensity(dot.intensity.value), toString(dot.level));
        }
        if (const std::string words = m_notShown.words(m_w); !words.empty())
            m_plot.description += m_w.common.gap.str() + words + m_w.common.stop;
    }

    struct LegendItem {
        std::string label;
        std::optional<Level> level;
        bool line = false, dashed = false;
        double width = 0;
    };

    /// Title, legend, notes and, from the room they leave, the plot area.
    void frame() {
        constexpr double kLeft = 72, kRight = 20, kRow = 19;
        list().width = std::max(m_options.width, 120.0);
        list().height = std::max(m_options.height, 100.0);
        const double width = list().width, height = list().height;
        double y = 27;
        text({kLeft, y}, fitText(m_plot.title, kTitleSize, width - kLeft - kRight), kTitleSize,
             Role::Text, Anchor::Start, 0, true);

        std::vector<LegendItem> items;
        for (const Level level : kLevels)
            if (m_options.levels[level])
                items.push_back({.label = level == Level::Shared ? m_w.plot.sharedMemory.str()
                                                                 : toString(level),
                                 .level = level});
        const auto hasRoof = [&](bool measured) {
            return std::any_of(
                m_analysis.roofs.begin(), m_analysis.roofs.end(), [&](const Roof& roof) {
                    return roof.device == m_options.device && roof.measured == measured;
                });
        };
        if (hasRoof(false))
            items.push_back({.label = m_w.plot.theoreticalRoof.str(),
                             .level = {},
                             .line = true,
                             .dashed = true});
        if (hasRoof(true))
            items.push_back({.label = m_w.plot.measuredRoof.str(), .level = {}, .line = true});
        items.push_back({.label = m_w.plot.dotArea.str(), .level = {}});
        y += 21;
        double x = kLeft;
        for (LegendItem& item : items) {
            const double symbol = item.level ? 18 : item.line ? 36 : 0;
            item.width = symbol + textWidth(item.label, kTextSize) + 16;
            if (x > kLeft && x + item.width - 16 > width - kRight) {
                x = kLeft;
                y += kRow;
            }
            if (item.level)
                list().free.push_back(MarkerShapeItem{.centre = {x + 6, y - 4},
                                                      .radius = 5,
                                                      .shape = shapeOf(*item.level),
                                                      .role = roleOf(*item.level)});
            if (item.line)
                list().free.push_back(LineShape{.from = {x, y - 4},
                                                .to = {x + 29, y - 4},
                                                .role = Role::Text,
                                                .width = 1.6,
                                                .dashed = item.dashed});
            text({x + symbol, y}, item.label, kTextSize,
                 item.level || item.line ? Role::Text : Role::TextMuted);
            x += item.width;
        }

        std::string words = m_notShown.words(m_w);
        if (m_analysis.convention == Convention::Ncu)
            words +=
                (words.empty() ? std::string() : m_w.common.semicolon.str()) + m_w.plot.ncuCounting;
        std::vector<std::string> notes = wrapText(words, kLabelSize, width - kLeft - kRight);
        double bottom = 46 + 15.0 * static_cast<double>(notes.size());
        const double top = y + 12;
        if (height - top - bottom < 40) {  // a tiny widget: the plot matters more than the notes
            notes.clear();
            bottom = 46;
        }
        m_plot.area = {kLeft, top, std::max(20.0, width - kLeft - kRight),
                       std::max(20.0, height - top - bottom)};
        list().clip = m_plot.area;
        const double axisY = m_plot.area.y + m_plot.area.h;
        text({m_plot.area.x + m_plot.area.w / 2, axisY + 37}, m_w.plot.intensity.str(), kTextSize,
             Role::Text, Anchor::Middle);
        text({17, m_plot.area.y + m_plot.area.h / 2}, m_w.plot.performance.str(), kTextSize,
             Role::Text, Anchor::Middle, -90);
        for (std::size_t i = 0; i < notes.size(); ++i)
            text({kLeft, axisY + 54 + 15.0 * static_cast<double>(i)}, notes[i], kLabelSize,
                 Role::TextMuted);
    }

    [[nodiscard]] Point atLog(double x, double y) const {
        const Viewport& v = m_plot.viewport;
        const Rect& a = m_plot.area;
        return {a.x + (x - v.xMin) / (v.xMax - v.xMin) * a.w,
                a.y + (1 - (y - v.yMin) / (v.yMax - v.yMin)) * a.h};
    }

    void grid() {
        const Viewport& v = m_plot.viewport;
        const Rect& a = m_plot.area;
        const auto line = [&](Point from, Point to, bool major) {
            list().clipped.push_back(LineShape{
                .from = from, .to = to, .role = major ? Role::Grid : Role::GridMinor, .width = 1});
        };
        const auto xTicks = logTicks(v.xMin, v.xMax, a.w, TickStyle::Plain);
        const auto yTicks = logTicks(v.yMin, v.yMax, a.h, TickStyle::Si);
        for (const bool major : {false, true}) {  // major lines on top
            for (const Tick& tick : xTicks)
                if (tick.major == major) {
                    const double x = atLog(tick.log, v.yMin).x;
                    line({x, a.y}, {x, a.y + a.h}, major);
                }
            for (const Tick& tick : yTicks)
                if (tick.major == major) {
                    const double y = atLog(v.xMin, tick.log).y;
                    line({a.x, y}, {a.x + a.w, y}, major);
                }
        }
        for (const Tick& tick : xTicks)
            if (!tick.label.empty())
                text({atLog(tick.log, v.yMin).x, a.y + a.h + 17}, tick.label, kTextSize,
                     Role::TextMuted, Anchor::Middle);
        for (const Tick& tick : yTicks)
            if (!tick.label.empty())
                text({a.x - 7, atLog(v.xMin, tick.log).y + 4}, tick.label, kTextSize,
                     Role::TextMuted, Anchor::End);
        for (const auto& [from, to] :
             {std::pair{Point{a.x, a.y + a.h}, Point{a.x + a.w, a.y + a.h}},
              std::pair{Point{a.x, a.y}, Point{a.x, a.y + a.h}}})
            list().free.push_back(
                LineShape{.from = from, .to = to, .role = Role::Axis, .width = 1.2});
    }

    void placeDots() {
        for (PlacedDot& dot : m_plot.dots) dot.centre = m_plot.toPixel(dot.intensity, dot.rate);
    }

    [[nodiscard]] bool isVisible(const PlacedDot& dot) const {
        const Rect& a = m_plot.area;
        return dot.centre.x >= a.x - dot.radius && dot.centre.x <= a.x + a.w + dot.radius &&
               dot.centre.y >= a.y - dot.radius && dot.centre.y <= a.y + a.h + dot.radius;
    }

    /// The part of a line inside the plot area; nullopt when there is none.
    [[nodiscard]] std::optional<Segment> visiblePart(Segment s) const {
        const Rect& a = m_plot.area;
        double enter = 0, leave = 1;
        const auto clip = [&](double start, double delta, double low, double high) {
            if (delta == 0) return start >= low && start <= high;
            const double t0 = (low - start) / delta, t1 = (high - start) / delta;
            enter = std::max(enter, std::min(t0, t1));
            leave = std::min(leave, std::max(t0, t1));
            return enter < leave;
        };
        if (!clip(s.from.x, s.to.x - s.from.x, a.x, a.x + a.w) ||
            !clip(s.from.y, s.to.y - s.from.y, a.y, a.y + a.h))
            return std::nullopt;
        const auto at = [&](double t) {
            return Point{s.from.x + (s.to.x - s.from.x) * t, s.from.y + (s.to.y - s.from.y) * t};
        };
        return Segment{at(enter), at(leave)};
    }

    void roofs(LabelPlacement& labels) {
        const RoofLines roofs = roofLines(m_analysis, m_options, m_plot.viewport);
        std::vector<std::pair<const RoofLine*, Segment>> shown;
        for (const RoofLine& line : roofs.lines) {
            const auto part =
                visiblePart({atLog(line.from.x, line.from.y), atLog(line.to.x, line.to.y)});
            if (!part) continue;
            list().clipped.push_back(LineShape{.from = part->from,
                                               .to = part->to,
                                               .role = line.role,
                                               .width = line.roof->measured ? 2.0 : 1.5,
                                               .dashed = !line.roof->measured});
            shown.emplace_back(&line, *part);
            labels.addLine(*part);
        }
        for (const RidgePoint& ridge : roofs.ridges) {
            const Point at = atLog(ridge.at.x, ridge.at.y);
            list().clipped.push_back(MarkerShapeItem{
                .centre = at, .radius = 4, .shape = MarkerShape::Circle, .role = ridge.role});
            list().clipped.push_back(MarkerShapeItem{.centre = at,
                                                     .radius = 2.4,
                                                     .shape = MarkerShape::Circle,
                                                     .role = Role::Background});
            labels.addDot(at, 5);
        }
        for (const PlacedDot& dot : m_plot.dots)
            if (isVisible(dot)) labels.addDot(dot.centre, dot.radius + 1);
        for (std::size_t i = 0; i < shown.size(); ++i)
            labelRoof(labels, *shown[i].first, shown[i].second, i);
    }

    /// Writes a roof's name along its line: above it where there is room, else below.
    void labelRoof(LabelPlacement& labels, const RoofLine& line, const Segment& part,
                   std::size_t own) {
        const bool flat = line.roof->kind == Roof::Kind::Compute;
        const double dx = part.to.x - part.from.x, dy = part.to.y - part.from.y;
        const double length = std::hypot(dx, dy), angle = std::atan2(dy, dx);
        const double width = textWidth(line.label, kLabelSize) + 6, height = kLabelSize + 3;
        if (length < width * 0.6) return;
        // Flats are labelled at their open end, slopes at their foot, where the fewest kernels are.
        const std::vector<double> places = flat ? std::vector{1.0, 0.8, 0.6, 0.4, 0.2, 0.0}
                                                : std::vector{0.12, 0.3, 0.5, 0.02, 0.7, 0.9};
        // Among thousands of dots no place is free: the name of a roof matters more than they do.
        for (const bool overDots : {false, true})
            for (const double above : {1.0, -1.0}) {
                for (const double place : places) {
                    const double along = width / 2 + place * std::max(0.0, length - width);
                    const double off = above * (height / 2 + 2.5);
                    const TurnedBox box{
                        .centre = {part.from.x + std::cos(angle) * along + std::sin(angle) * off,
                                   part.from.y + std::sin(angle) * along - std::cos(angle) * off},
                        .halfWidth = width / 2,
                        .halfHeight = height / 2,
                        .angle = angle};
                    if (!labels.isFree(box, own, overDots)) continue;
                    labels.addBox(box);
                    // Middle of the capitals on the middle of the box.
                    const double down = kLabelSize * 0.36;
                    text({box.centre.x - std::sin(angle) * down,
                          box.centre.y + std::cos(angle) * down},
                         line.label, kLabelSize, line.role, Anchor::Middle,
                         angle * 180 / std::numbers::pi);
                    std::get<TextShape>(list().free.back()).halo = overDots;
                    return;
                }
            }
    }

    [[nodiscard]] std::string labelOf(std::size_t index) const {
        std::string name = shorten(cleanText(m_analysis.kernels[index].name, 200), 34);
        if (name.find_first_not_of(' ') == std::string::npos) name = "(no name)";
        // The rank in the report tells apart what has the same name.
        if (const auto found = m_sameName.find(m_analysis.kernels[index].name);
            found != m_sameName.end() && found->second > 1)
            name += fmt::format(" #{}", index + 1);
        return name;
    }

    /// The dots that carry their kernel's name, most important first.
    void chooseLabels() {
        if (!m_options.labels) return;
        const Rect& a = m_plot.area;
        std::map<std::size_t, const PlacedDot*> first;
        for (const PlacedDot& dot : m_plot.dots) {
            if (dot.centre.x < a.x || dot.centre.x > a.x + a.w || dot.centre.y < a.y ||
                dot.centre.y > a.y + a.h)
                continue;
            auto& owner = first[dot.kernel];
            // DRAM, the lowest level, lies furthest right and has the most room.
            if (!owner || dot.level < owner->level) owner = &dot;
        }
        for (const auto& [kernel, dot] : first) {
            m_labelled.push_back(dot);
            ++m_sameName[m_analysis.kernels[kernel].name];
        }
        const auto share = [&](const PlacedDot* dot) {
            const auto& value = m_analysis.kernels[dot->kernel].timeShare;
            return value.has() ? value->value : 0.0;
        };
        std::stable_sort(m_labelled.begin(), m_labelled.end(),
                         [&](const PlacedDot* x, const PlacedDot* y) {
                             const bool sx = m_options.selected == x->kernel;
                             const bool sy = m_options.selected == y->kernel;
                             return sx != sy ? sx : share(x) > share(y);
                         });
        if (m_labelled.size() > kLabelAll) m_labelled.resize(kLabelMany);
    }

    void drawDots(bool crowd) {
        const auto& selected = m_options.selected;
        const std::set<const PlacedDot*> labelled(m_labelled.begin(), m_labelled.end());
        const auto draw = [&](const PlacedDot& dot, bool faint) {
            if (!isVisible(dot)) return;
            const bool isSelected = selected == dot.kernel;
            const KernelAnalysis& kernel = m_analysis.kernels[dot.kernel];
            if (isSelected)
                list().clipped.push_back(MarkerShapeItem{.centre = dot.centre,
                                                         .radius = dot.radius + 4,
                                                         .shape = shapeOf(dot.level),
                                                         .role = Role::Selection,
                                                         .opacity = 0.8});
            list().clipped.push_back(MarkerShapeItem{
                .centre = dot.centre,
                .radius = dot.radius,
                .shape = shapeOf(dot.level),
                .role = roleOf(dot.level),
                .opacity = selected && !isSelected ? 0.3
                           : faint                 ? 0.35
                                                   : 0.85,
                .outlined = !faint,
                .tip = m_w.plot.tip(cleanText(kernel.name, 120), toString(dot.level),
                                    formatNumber(dot.rate.value, Unit::FlopsPerSecond),
                                    formatIntensity(dot.intensity.value)),
                .kernel = dot.kernel});
        };
        // In a crowd the dots with a name come last, so that leaders end at something visible.
        const auto isOnTop = [&](const PlacedDot& dot) {
            return crowd && (labelled.contains(&dot) || selected == dot.kernel);
        };
        for (const PlacedDot& dot : m_plot.dots)
            if (!isOnTop(dot)) draw(dot, crowd);
        for (const PlacedDot& dot : m_plot.dots)
            if (isOnTop(dot)) draw(dot, false);
    }

    void labelKernels(LabelPlacement& labels) {
        for (const PlacedDot* dot : m_labelled) {
            const std::string name = labelOf(dot->kernel);
            const bool bold = m_options.selected == dot->kernel;
            const double width = textWidth(name, kLabelSize) * (bold ? 1.1 : 1.0) + 4;
            const double height = kLabelSize + 4;
            const auto placed = labels.placeNear(dot->centre, dot->radius, width, height);
            if (!placed) continue;
            const Point centre = placed->box.centre;
            if (placed->leader)
                list().free.push_back(LineShape{.from = placed->leader->from,
                                                .to = placed->leader->to,
                                                .role = Role::TextMuted,
                                                .width = 0.8});
            list().free.push_back(
                RectShape{.rect = {centre.x - width / 2, centre.y - height / 2, width, height},
                          .fill = Role::Background,
                          .opacity = 0.75,
                          .radius = 2});
            // The text starts at the side of its dot, so that a narrower font leaves no gap there.
            const bool leftOfDot = centre.x + width / 2 <= dot->centre.x;
            const bool centred = !leftOfDot && centre.x - width / 2 < dot->centre.x;
            const Anchor anchor = centred     ? Anchor::Middle
                                  : leftOfDot ? Anchor::End
                                              : Anchor::Start;
            const double x = centred     ? centre.x
                             : leftOfDot ? centre.x + width / 2 - 2
                                         : centre.x - width / 2 + 2;
            text({x, centre.y + kLabelSize * 0.36}, name, kLabelSize, Role::Text, anchor, 0, bold);
            std::get<TextShape>(list().free.back()).kernel = dot->kernel;
        }
    }

    void emptyNote() {
        const Rect& a = m_plot.area;
        text({a.x + a.w / 2, a.y + a.h - 24}, m_w.plot.noKernel.str(), kTextSize, Role::TextMuted,
             Anchor::Middle);
    }

    const Analysis& m_analysis;
    const RooflineOptions& m_options;
    const Wording& m_w;
    const std::vector<Device> m_noDevices;
    RooflinePlot m_plot;
    NotShown m_notShown;
    std::size_t m_kernels = 0;
    std::map<std::string, std::size_t> m_sameName;
    std::vector<const PlacedDot*> m_labelled;  ///< into m_plot.dots
};

}  // namespace

RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineOptions& options) {
    return Layout(analysis, options).run();
}

}  // namespace roofscope::plot
