// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/roofline_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "profile/utf8.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/language/say.h"
#include "reports/line_break.h"
#include "reports/number_format.h"
#include "reports/plot/fit_viewport.h"
#include "reports/plot/label_placement.h"
#include "reports/plot/roof_lines.h"
#include "reports/plot/roof_names.h"
#include "reports/plot/ruler.h"
#include "reports/plot/scene.h"
#include "reports/plot/ticks.h"

namespace roofscope::plot {

namespace {

constexpr double kTitleSize = 16, kTextSize = 12, kLabelSize = 11;
/// With more kernels than this, only the largest get labels: hundreds would be a grey haze.
constexpr std::size_t kLabelAll = 60, kLabelMany = 14;
constexpr double kFaint = 0.6;
/// What is not selected stays readable: 3 : 1 to the background in every colour.
constexpr double kUnselected = 0.72;
/// The margin that names compute roofs: its widest, and the least plot that has one.
constexpr double kWidestMargin = 190, kLeastPlot = 140, kLeader = 12;
/// Of a crowd one dot is drawn for all in a cell of so many pixels; the larger one is for so many
/// dots in view that a frame would take too long.
constexpr double kCell = 6, kCoarseCell = 8;
constexpr std::size_t kManyInView = 15000;
/// What a search did not find.
constexpr double kDimmed = 0.1;
/// With more arrows than this only those of the selected kernels are drawn.
constexpr std::size_t kManyArrows = 60;

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
    for (const LinePiece& piece : linePieces(text)) {
        const std::string longer = line + (line.empty() || !piece.room ? "" : " ") + piece.text;
        if (!line.empty() && textWidth(longer, size) > width) {
            lines.push_back(line);
            line = piece.text;
        } else {
            line = longer;
        }
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

class Layout {
public:
    Layout(const Analysis& analysis, const RooflineScene& scene, const RooflineOptions& options)
        : m_analysis(analysis), m_scene(scene), m_options(options), m_language(options.language) {}

    RooflinePlot run() {
        m_plot.viewport = m_options.viewport && isUsable(*m_options.viewport) ? *m_options.viewport
                                                                              : m_scene.fitted;
        m_emphasised.insert(m_options.marked.begin(), m_options.marked.end());
        if (m_options.selected) m_emphasised.insert(*m_options.selected);
        if (m_options.found) {
            m_found.emplace(m_analysis.kernels.size());
            for (const std::size_t kernel : *m_options.found)
                if (kernel < m_found->size()) (*m_found)[kernel] = true;
        }
        describe();
        frame();
        grid();
        m_crowd = m_scene.dots.size() > RooflineScene::kCrowd;
        placeDots();
        placeArrows();
        chooseLabels();
        LabelPlacement labels(m_plot.area);
        if (m_crowd) drawDots();
        roofs(labels);
        drawArrows();
        if (!m_crowd) drawDots();
        labelKernels(labels);
        drawRuler();
        if (m_scene.dots.empty()) emptyNote();
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

    void describe() {
        const auto& devices = m_analysis.profile ? m_analysis.profile->devices : m_noDevices;
        const std::string gpu = m_options.device < devices.size()
                                    ? cleanText(devices[m_options.device].name, 60)
                                    : std::string();
        m_plot.title = m_options.title.empty()
                           ? (gpu.empty() ? say(m_language, "Roofline", "屋顶线")
                                          : say(m_language, "Roofline: {}", "屋顶线：{}", gpu))
                           : cleanText(m_options.title, 200);
        m_plot.description =
            sayCount(m_language, m_scene.kernels,
                     "Roofline, both axes logarithmic: arithmetic intensity in FLOP/B and "
                     "performance in FLOP/s of {} kernel",
                     "Roofline, both axes logarithmic: arithmetic intensity in FLOP/B and "
                     "performance in FLOP/s of {} kernels",
                     "屋顶线图，双对数坐标：{} 个内核的算术强度（FLOP/B）与性能（FLOP/s）") +
            (gpu.empty() ? std::string() : say(m_language, " on {}", "，{}", gpu)) +
            std::string(marksOf(m_language).stop);
        if (m_scene.longest) {
            const PlacedDot& dot = m_scene.dots[*m_scene.longest];
            const KernelAnalysis& kernel = m_analysis.kernels[dot.kernel];
            m_plot.description +=
                std::string(marksOf(m_language).gap) +
                say(m_language, "The kernel shown with the most time, {}, does {} at {} ({}).",
                    "图中耗时最多的内核 {} 以 {} 运行，算术强度 {}（{}）。",
                    cleanText(kernel.name, 80), formatRate(dot.rate.value, dot.precision),
                    formatIntensity(dot.intensity.value, dot.precision), whereOf(dot));
        }
        if (!m_scene.notShown.empty())
            m_plot.description += std::string(marksOf(m_language).gap) + m_scene.notShown +
                                  std::string(marksOf(m_language).stop);
        if (!m_scene.arrows.empty())
            m_plot.description += std::string(marksOf(m_language).gap) +
                                  say(m_language, "Arrows lead from the place in the baseline.",
                                      "箭头从基线中的位置出发。");
    }

    /// The level, and the type where tensor cores worked: they may have dots beside others.
    [[nodiscard]] std::string whereOf(const PlacedDot& dot) const {
        std::string where = toString(dot.level);
        if (dot.precision.tensor())
            where +=
                std::string(marksOf(m_language).comma) + arithmeticWords(dot.precision, m_language);
        return where;
    }

    struct LegendItem {
        std::string label;
        std::optional<Level> level;
        bool line = false, dashed = false, arrow = false;
        double width = 0;
    };

    /// Title, legend, notes and, from the room they leave, the plot area.
    void frame() {
        constexpr double kLeft = 72, kRow = 19;
        constexpr double kRight = 20;
        list().width = std::max(m_options.width, 120.0);
        list().height = std::max(m_options.height, 100.0);
        const double width = list().width, height = list().height;
        double y = 27;
        text({kLeft, y}, fitText(m_plot.title, kTitleSize, width - kLeft - kRight), kTitleSize,
             Role::Text, Anchor::Start, 0, true);

        std::vector<LegendItem> items;
        for (const Level level : kLevels)
            if (m_options.levels[level])
                items.push_back({.label = level == Level::Shared
                                              ? say(m_language, "shared memory", "共享内存")
                                              : toString(level),
                                 .level = level});
        const auto hasRoof = [&](bool measured) {
            return std::any_of(
                m_analysis.roofs.begin(), m_analysis.roofs.end(), [&](const Roof& roof) {
                    return roof.device == m_options.device && roof.measured == measured;
                });
        };
        if (hasRoof(false))
            items.push_back({.label = say(m_language, "theoretical roof", "理论屋顶"),
                             .line = true,
                             .dashed = true});
        if (hasRoof(true))
            items.push_back({.label = say(m_language, "measured roof", "实测屋顶"), .line = true});
        if (!m_scene.arrows.empty())
            items.push_back({.label = (m_options.baseline->analysis->profile == m_analysis.profile
                                           ? say(m_language, "from one kernel to the other",
                                                 "从一个内核到另一个")
                                           : say(m_language, "since the baseline", "与基线相比")),
                             .arrow = true});
        items.push_back(
            {.label = say(m_language, "dot area: share of GPU time", "圆点面积：GPU 时间占比")});
        if (m_scene.coincide) {
            items.push_back({.label = say(m_language, "levels of a kernel on one spot: DRAM on top",
                                          "同一内核的各级重合时 DRAM 在上")});
        }
        y += 21;
        double x = kLeft;
        for (LegendItem& item : items) {
            const double symbol = item.level ? 18 : item.line || item.arrow ? 36 : 0;
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
            if (item.arrow) {
                ring(list().free, {x + 5, y - 4}, 4, MarkerShape::Circle, Role::Text, 1);
                arrow(list().free, {x + 9, y - 4}, {x + 29, y - 4}, Role::Text, 1.4, 1);
            }
            text({x + symbol, y}, item.label, kTextSize,
                 item.level || item.line || item.arrow ? Role::Text : Role::TextMuted);
            x += item.width;
        }

        std::string words = m_scene.notShown;
        if (m_analysis.convention == Convention::Ncu)
            words += (words.empty() ? std::string() : std::string(marksOf(m_language).semicolon)) +
                     say(m_language, "L2 and L1 bytes are counted as Nsight Compute does",
                         "L2 和 L1 字节按 Nsight Compute 的方式计数");
        std::vector<std::string> notes = wrapText(words, kLabelSize, width - kLeft - kRight);
        double bottom = 46 + 15.0 * static_cast<double>(notes.size());
        const double top = y + 12;
        if (height - top - bottom < 40) {  // a tiny widget: the plot matters more than the notes
            notes.clear();
            bottom = 46;
        }
        m_roofs = roofLines(m_analysis, m_options, m_plot.viewport);
        chooseMarginNames();
        double margin = 0;
        for (const MarginName& name : m_margin)
            for (const std::string& line : name.lines)
                margin = std::max(margin, textWidth(line, kLabelSize) * 1.1 + kLeader + 6);
        margin = std::min({margin, kWidestMargin, 0.34 * width});
        m_inMargin = margin > 0 && width - kLeft - margin >= kLeastPlot;
        m_plot.area = {kLeft, top, std::max(20.0, width - kLeft - (m_inMargin ? margin : kRight)),
                       std::max(20.0, height - top - bottom)};
        list().clip = m_plot.area;
        const double axisY = m_plot.area.y + m_plot.area.h;
        text({m_plot.area.x + m_plot.area.w / 2, axisY + 37},
             say(m_language, "Arithmetic intensity (FLOP/B)", "算术强度（FLOP/B）"), kTextSize,
             Role::Text, Anchor::Middle);
        text({17, m_plot.area.y + m_plot.area.h / 2},
             say(m_language, "Performance (FLOP/s)", "性能（FLOP/s）"), kTextSize, Role::Text,
             Anchor::Middle, -90);
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

    /// Neither found by the search that is going on, nor selected.
    [[nodiscard]] bool isDimmed(const PlacedDot& dot) const {
        return m_found && !(*m_found)[dot.kernel] && !m_emphasised.contains(dot.kernel);
    }

    void placeDots() {
        if (!m_crowd) {
            m_plot.dots = m_scene.dots;
            for (std::size_t i = 0; i < m_plot.dots.size(); ++i)
                m_plot.dots[i].centre = atLog(m_scene.places[i].x, m_scene.places[i].y);
            m_weights.assign(m_plot.dots.size(), 1);
            return;
        }
        // Of the dots of one level on the same few pixels only the first, the largest, is seen;
        // what a search found is apart from what it did not.
        const Rect& a = m_plot.area;
        const Viewport& v = m_plot.viewport;
        constexpr double kMargin = 20;
        const Point low = m_plot.toLog({a.x - kMargin, a.y + a.h + kMargin});
        const Point high = m_plot.toLog({a.x + a.w + kMargin, a.y - kMargin});
        const double size = m_scene.grid.count(low, high) > kManyInView ? kCoarseCell : kCell;
        const auto columns = static_cast<std::size_t>((a.w + 2 * kMargin) / size) + 1;
        const auto rows = static_cast<std::size_t>((a.h + 2 * kMargin) / size) + 1;
        constexpr std::uint32_t kNone = ~std::uint32_t{0};
        struct Cell {
            std::uint32_t first = kNone;  // dot
            std::uint32_t dots = 0;       // that are not emphasised
        };
        const std::size_t layers = m_found ? 2 : 1;  // found and not
        std::vector<Cell> cells(layers * kLevels.size() * columns * rows);
        const double xScale = a.w / (v.xMax - v.xMin), yScale = a.h / (v.yMax - v.yMin);
        const auto cellOf = [&](Point place, std::size_t dot, Level level) -> Cell& {
            const double right = (place.x - v.xMin) * xScale, up = (place.y - v.yMin) * yScale;
            const auto column = static_cast<std::size_t>(std::max(0.0, right + kMargin) / size);
            const auto row = static_cast<std::size_t>(std::max(0.0, a.h - up + kMargin) / size);
            const std::size_t layer = layers * static_cast<std::size_t>(level) +
                                      (m_found && isDimmed(m_scene.dots[dot]) ? 1 : 0);
            return cells[(layer * rows + std::min(row, rows - 1)) * columns +
                         std::min(column, columns - 1)];
        };
        // In the order of the scene, which is that of drawing.
        std::vector<bool> shown(m_scene.dots.size());
        m_scene.grid.visit(low, high, [&](const DotGrid::Entry& entry) {
            const Point& place = entry.place;
            if (place.x < low.x || place.x > high.x || place.y < low.y || place.y > high.y) return;
            const bool inside =
                place.x >= v.xMin && place.x <= v.xMax && place.y >= v.yMin && place.y <= v.yMax;
            if (!inside && !isVisible(atLog(place.x, place.y), m_scene.dots[entry.dot].radius))
                return;
            Cell& cell = cellOf(place, entry.dot, entry.level);
            cell.first = std::min(cell.first, entry.dot);
            if (m_emphasised.empty() || !m_emphasised.contains(m_scene.dots[entry.dot].kernel))
                ++cell.dots;
            else
                shown[entry.dot] = true;
        });
        std::size_t count = 0;
        for (const Cell& cell : cells)
            if (cell.first != kNone) {
                shown[cell.first] = true;
                ++count;
            }
        m_plot.dots.reserve(count);
        m_weights.reserve(count);
        list().clipped.reserve(list().clipped.size() + count);
        for (std::size_t i = 0; i < shown.size(); ++i) {
            if (!shown[i]) continue;
            const PlacedDot& dot = m_scene.dots[i];
            const Point& place = m_scene.places[i];
            const Cell& cell = cellOf(place, i, dot.level);
            // Who is emphasised stands for itself, and for the others where it is the first.
            const bool first = cell.first == i;
            m_weights.push_back(!first ? 1
                                       : cell.dots + (m_emphasised.contains(dot.kernel) ? 1 : 0));
            m_plot.dots.push_back(dot);
            m_plot.dots.back().centre = atLog(place.x, place.y);
        }
    }

    void placeArrows() {
        const bool many = m_scene.arrows.size() > kManyArrows * kLevels.size();
        std::set<std::size_t> begun;
        for (std::size_t i = 0; i < m_scene.arrows.size(); ++i) {
            PlacedArrow arrow = m_scene.arrows[i];
            // All levels of what is selected; of the others the lowest one, and none when there are
            // too many to follow.
            const bool first = begun.insert(arrow.kernel).second;
            if (!m_emphasised.contains(arrow.kernel) && (many || !first)) continue;
            const auto& [from, to] = m_scene.arrowEnds[i];
            arrow.from = atLog(from.x, from.y);
            arrow.to = atLog(to.x, to.y);
            if (visiblePart({arrow.from, arrow.to})) m_plot.arrows.push_back(arrow);
        }
    }

    /// A marker without a filling.
    static void ring(std::vector<Shape>& to, Point centre, double radius, MarkerShape shape,
                     Role role, double opacity) {
        to.push_back(MarkerShapeItem{
            .centre = centre, .radius = radius, .shape = shape, .role = role, .opacity = opacity});
        to.push_back(MarkerShapeItem{.centre = centre,
                                     .radius = std::max(1.0, radius - 1.5),
                                     .shape = shape,
                                     .role = Role::Background});
    }

    static void arrow(std::vector<Shape>& to, Point from, Point tip, Role role, double width,
                      double opacity) {
        const auto line = [&](Point a, Point b) {
            to.push_back(
                LineShape{.from = a, .to = b, .role = role, .width = width, .opacity = opacity});
        };
        constexpr double kHead = 7, kSpread = 0.42;
        line(from, tip);
        const double angle = std::atan2(from.y - tip.y, from.x - tip.x);
        for (const double turn : {-kSpread, kSpread})
            line(tip,
                 {tip.x + kHead * std::cos(angle + turn), tip.y + kHead * std::sin(angle + turn)});
    }

    void drawArrows() {
        for (const PlacedArrow& placed : m_plot.arrows) {
            const KernelComparison& change = m_options.baseline->comparison.kernels[placed.change];
            const bool emphasised = m_emphasised.contains(placed.kernel);
            // A change inside the noise keeps the level's shape and loses its colour.
            const Role role = change.duration.changed() ? roleOf(placed.level) : Role::TextMuted;
            const double opacity = m_emphasised.empty() || emphasised ? 0.9 : 0.35;
            ring(list().clipped, placed.from, placed.radius, shapeOf(placed.level), role, opacity);
            const double dx = placed.to.x - placed.from.x, dy = placed.to.y - placed.from.y;
            const double length = std::hypot(dx, dy);
            const KernelAnalysis& kernel = m_analysis.kernels[placed.kernel];
            const double end = dotRadius(kernel.timeShare) + 1;
            // Too short for an arrow: the ring around the dot says that it stayed.
            if (length < placed.radius + end + 6) continue;
            arrow(list().clipped,
                  {placed.from.x + dx / length * placed.radius,
                   placed.from.y + dy / length * placed.radius},
                  {placed.to.x - dx / length * end, placed.to.y - dy / length * end}, role,
                  emphasised ? 2.0 : 1.4, opacity);
        }
    }

    [[nodiscard]] bool isVisible(Point centre, double radius) const {
        const Rect& a = m_plot.area;
        return centre.x >= a.x - radius && centre.x <= a.x + a.w + radius &&
               centre.y >= a.y - radius && centre.y <= a.y + a.h + radius;
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

    /// A name beside the plot: of a compute roof, or of a theoretical and a measured one.
    struct MarginName {
        std::vector<std::string> lines;
        double log = 0;  ///< of the (higher) rate
        Role role = Role::Fp32;
        bool own = false;  ///< a roof of the selected kernel
    };

    [[nodiscard]] bool isOwn(const Roof& roof) const {
        return m_options.selected && *m_options.selected < m_analysis.kernels.size() &&
               isOwnRoof(roof, m_analysis.kernels[*m_options.selected]);
    }

    void chooseMarginNames() {
        for (const RoofLine& line : m_roofs.lines) {
            if (line.roof->kind != Roof::Kind::Compute) continue;
            const double log = std::log10(line.roof->rate);
            if (log < m_plot.viewport.yMin || log > m_plot.viewport.yMax) continue;
            const std::string rate = line.roof->measured
                                         ? say(m_language, "{} measured", "{} 实测", line.rate)
                                         : line.rate;
            const auto same = std::ranges::find_if(
                m_margin, [&](const MarginName& name) { return name.lines.front() == line.name; });
            // One name for both, where no other roof lies between them.
            constexpr double kNear = 0.25;
            if (same != m_margin.end() && std::abs(same->log - log) < kNear) {
                same->lines.push_back(rate);
                same->log = std::max(same->log, log);
                same->own = same->own || isOwn(*line.roof);
                continue;
            }
            m_margin.push_back({.lines = {line.name, rate},
                                .log = log,
                                .role = line.role,
                                .own = isOwn(*line.roof)});
        }
        std::ranges::stable_sort(m_margin, std::ranges::greater{}, &MarginName::log);
    }

    /// Beside the ends of the roofs, each as near to its own as the others let it be.
    void writeMarginNames() {
        constexpr double kLine = kLabelSize + 2, kGap = 4;
        const Rect& a = m_plot.area;
        const auto heightOf = [](const MarginName& name) {
            return kLine * static_cast<double>(name.lines.size()) + kGap;
        };
        double all = 0;
        for (const MarginName& name : m_margin) all += heightOf(name);
        if (all > a.h + 40)  // too many: only what they are, without rates
            for (MarginName& name : m_margin) name.lines.resize(1);
        std::vector<double> tops;
        double least = a.y - 10;
        for (const MarginName& name : m_margin) {
            const double wanted = atLog(0, name.log).y - heightOf(name) / 2;
            tops.push_back(std::max(wanted, least));
            least = tops.back() + heightOf(name);
        }
        double most = a.y + a.h + 10;
        for (std::size_t i = tops.size(); i-- > 0;) {
            tops[i] = std::min(tops[i], most - heightOf(m_margin[i]));
            most = tops[i];
        }
        const double x = a.x + a.w, width = list().width - x - kLeader;
        for (std::size_t i = 0; i < m_margin.size(); ++i) {
            const MarginName& name = m_margin[i];
            const double roofY = atLog(0, name.log).y;
            const double height = heightOf(name) - kGap, middle = tops[i] + kGap / 2 + height / 2;
            list().free.push_back(LineShape{.from = {x, roofY},
                                            .to = {x + kLeader - 3, middle},
                                            .role = name.role,
                                            .width = name.own ? 1.8 : 1});
            for (std::size_t line = 0; line < name.lines.size(); ++line)
                text({x + kLeader, tops[i] + kGap / 2 + kLine * (static_cast<double>(line) + 0.82)},
                     fitText(name.lines[line], kLabelSize * (name.own ? 1.08 : 1), width),
                     kLabelSize, name.role, Anchor::Start, 0, name.own);
            std::string words = name.lines.front();
            for (std::size_t line = 1; line < name.lines.size(); ++line)
                words += (line == 1 ? std::string(" ") : std::string(marksOf(m_language).comma)) +
                         name.lines[line];
            m_plot.marginNames.push_back(
                {.text = words, .roofY = roofY, .box = {x + kLeader, tops[i], width, height}});
        }
    }

    void roofs(LabelPlacement& labels) {
        const RoofLines& roofs = m_roofs;
        std::vector<ShownRoof> shown;
        for (const RoofLine& line : roofs.lines) {
            const auto part =
                visiblePart({atLog(line.from.x, line.from.y), atLog(line.to.x, line.to.y)});
            if (!part) continue;
            list().clipped.push_back(LineShape{
                .from = part->from,
                .to = part->to,
                .role = line.role,
                .width = (line.roof->measured ? 2.0 : 1.5) + (isOwn(*line.roof) ? 1.2 : 0),
                .dashed = !line.roof->measured});
            shown.push_back({.line = &line, .part = *part});
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
            if (isVisible(dot.centre, dot.radius)) labels.addDot(dot.centre, dot.radius + 1);
        for (const PlacedArrow& arrow : m_plot.arrows) labels.addDot(arrow.from, arrow.radius + 1);
        // Those with a name in the margin need none here; they are the last lines.
        if (m_inMargin) {
            std::erase_if(shown, [](const ShownRoof& roof) {
                return roof.line->roof->kind == Roof::Kind::Compute;
            });
            writeMarginNames();
        }
        for (const RoofName& name : nameRoofs(labels, shown, kLabelSize, m_crowd, m_language))
            writeRoofName(name);
    }

    void writeRoofName(const RoofName& name) {
        // Middle of the capitals on the middle of the box.
        const double down = kLabelSize * 0.36, angle = name.box.angle;
        text({name.box.centre.x - std::sin(angle) * down,
              name.box.centre.y + std::cos(angle) * down},
             name.text, kLabelSize, name.role, Anchor::Middle, angle * 180 / std::numbers::pi);
        std::get<TextShape>(list().free.back()).halo = name.overDots;
    }

    [[nodiscard]] std::string labelOf(std::size_t index) const {
        std::string name = shorten(cleanText(m_analysis.kernels[index].name, 200), 34);
        if (name.find_first_not_of(' ') == std::string::npos) name = "(no name)";
        // The rank in the report tells apart what has the same name.
        if (m_scene.namesake[index]) name += fmt::format(" #{}", index + 1);
        return name;
    }

    /// The dots that carry their kernel's name, most important first.
    void chooseLabels() {
        if (!m_options.labels) return;
        const Rect& a = m_plot.area;
        std::vector<const PlacedDot*> first(m_analysis.kernels.size());
        for (const PlacedDot& dot : m_plot.dots) {
            if (dot.centre.x < a.x || dot.centre.x > a.x + a.w || dot.centre.y < a.y ||
                dot.centre.y > a.y + a.h || isDimmed(dot))
                continue;
            const PlacedDot*& owner = first[dot.kernel];
            // DRAM, the lowest level, lies furthest right and has the most room.
            if (!owner || dot.level < owner->level) owner = &dot;
        }
        for (const PlacedDot* dot : first)
            if (dot) m_labelled.push_back(dot);
        const auto before = [&](const PlacedDot* x, const PlacedDot* y) {
            const double left = m_scene.shares[x->kernel], right = m_scene.shares[y->kernel];
            return left != right ? left > right : x->kernel < y->kernel;
        };
        const std::size_t count = m_labelled.size() > kLabelAll ? kLabelMany : m_labelled.size();
        std::partial_sort(m_labelled.begin(),
                          m_labelled.begin() + static_cast<std::ptrdiff_t>(count), m_labelled.end(),
                          before);
        // A selected kernel has its name, too; last, so that the others stay where they are.
        std::optional<const PlacedDot*> selected;
        if (m_options.selected && *m_options.selected < first.size() &&
            first[*m_options.selected] &&
            std::find(m_labelled.begin(), m_labelled.begin() + static_cast<std::ptrdiff_t>(count),
                      first[*m_options.selected]) ==
                m_labelled.begin() + static_cast<std::ptrdiff_t>(count))
            selected = first[*m_options.selected];
        m_labelled.resize(count);
        if (selected) m_labelled.push_back(*selected);
    }

    /// Opacity of so many layers on top of each other.
    static double pile(double opacity, std::size_t layers) {
        constexpr std::size_t kDense = 16;  // more makes no difference that can be seen
        double through = 1;
        for (std::size_t i = 0; i < std::min(layers, kDense); ++i) through *= 1 - opacity;
        return 1 - through;
    }

    void drawDots() {
        const std::set<const PlacedDot*> labelled(m_labelled.begin(), m_labelled.end());
        const auto draw = [&](std::size_t index, bool faint) {
            const PlacedDot& dot = m_plot.dots[index];
            if (!isVisible(dot.centre, dot.radius)) return;
            const bool isSelected = m_emphasised.contains(dot.kernel);
            if (isSelected)
                list().clipped.push_back(MarkerShapeItem{.centre = dot.centre,
                                                         .radius = dot.radius + 4,
                                                         .shape = shapeOf(dot.level),
                                                         .role = Role::Selection,
                                                         .opacity = 0.8});
            // One dot for several is as dense as they would be on top of each other.
            const std::size_t weight = m_weights[index];
            const double opacity = isDimmed(dot)                          ? kDimmed
                                   : m_found                              ? 0.85
                                   : !m_emphasised.empty() && !isSelected ? kUnselected
                                   : faint                                ? kFaint
                                                                          : 0.85;
            list().clipped.push_back(MarkerShapeItem{
                .centre = dot.centre,
                .radius = dot.radius,
                .shape = shapeOf(dot.level),
                .role = roleOf(dot.level),
                .opacity =
                    weight > 1 && !isDimmed(dot) ? std::min(0.85, pile(opacity, weight)) : opacity,
                .outlined = !faint,
                .tip = m_options.tips ? tip(dot) : std::string(),
                .kernel = dot.kernel});
        };
        // In a crowd the dots with a name come last, so that leaders end at something visible.
        const auto isOnTop = [&](const PlacedDot& dot) {
            return m_crowd && (labelled.contains(&dot) || m_emphasised.contains(dot.kernel));
        };
        for (const bool dimmed : {true, false}) {
            if (dimmed && !m_found) continue;
            for (std::size_t i = 0; i < m_plot.dots.size(); ++i)
                if (!isOnTop(m_plot.dots[i]) && isDimmed(m_plot.dots[i]) == dimmed)
                    draw(i, m_crowd);
        }
        for (std::size_t i = 0; i < m_plot.dots.size(); ++i)
            if (isOnTop(m_plot.dots[i])) draw(i, false);
    }

    [[nodiscard]] std::string tip(const PlacedDot& dot) const {
        return say(m_language, "{}: {}, {} at {}", "{}：{}，{}，算术强度 {}",
                   cleanText(m_analysis.kernels[dot.kernel].name, 120), whereOf(dot),
                   formatRate(dot.rate.value, dot.precision),
                   formatIntensity(dot.intensity.value, dot.precision));
    }

    /// Where a name lies that has to be seen, whatever it hides.
    [[nodiscard]] std::optional<LabelPlacement::Placed> beside(const PlacedDot& dot, double width,
                                                               double height) const {
        const Rect& a = m_plot.area;
        const double right = dot.centre.x + dot.radius + 6, left = right - 2 * dot.radius - 12;
        const bool fits = right + width <= a.x + a.w;
        if (!fits && left - width < a.x) return std::nullopt;
        return LabelPlacement::Placed{
            .box = {.centre = {fits ? right + width / 2 : left - width / 2, dot.centre.y},
                    .halfWidth = width / 2,
                    .halfHeight = height / 2}};
    }

    void labelKernels(LabelPlacement& labels) {
        for (const PlacedDot* dot : m_labelled) {
            const std::string name = labelOf(dot->kernel);
            const bool bold = m_options.selected == dot->kernel;
            // As wide as when it is bold: a selection moves no names.
            const double width = textWidth(name, kLabelSize) * 1.1 + 4;
            const double height = kLabelSize + 4;
            auto placed = labels.placeNear(dot->centre, dot->radius, width, height);
            // Its dots at the other levels do as well.
            for (std::size_t i = 0; !placed && !m_crowd && i < m_plot.dots.size(); ++i) {
                const PlacedDot& other = m_plot.dots[i];
                if (other.kernel != dot->kernel || !isVisible(other.centre, 0)) continue;
                placed = labels.placeNear(other.centre, other.radius, width, height);
                if (placed) dot = &other;
            }
            if (!placed && bold) placed = beside(*dot, width, height);
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

    /// From the selected dot to what limits it.
    void drawRuler() {
        if (!m_options.selected || *m_options.selected >= m_analysis.kernels.size()) return;
        const KernelAnalysis& kernel = m_analysis.kernels[*m_options.selected];
        if (kernel.group.device != m_options.device) return;
        const bool shown = std::ranges::any_of(
            m_scene.dots, [&](const PlacedDot& dot) { return dot.kernel == *m_options.selected; });
        const auto ruler = shown ? rulerOf(kernel, m_options) : std::nullopt;
        if (!ruler) return;
        const double x = std::log10(ruler->dot.intensity.value);
        const Point from = atLog(x, std::log10(ruler->dot.rate.value));
        const Point to = atLog(x, std::log10(ruler->rate));
        if (!isVisible(from, 0)) return;
        const double radius = dotRadius(kernel.timeShare) + 4;
        const auto line = [&](Point a, Point b, double width, bool dashed) {
            list().clipped.push_back(LineShape{
                .from = a, .to = b, .role = Role::Highlight, .width = width, .dashed = dashed});
        };
        if (from.y - to.y > radius) line({from.x, from.y - radius}, to, 2, false);
        // The ceiling that it ends at: of a roof, or of a pipe that has no roof in the plot.
        constexpr double kHalf = 46;
        line({to.x - kHalf, to.y}, {to.x + kHalf, to.y}, 2, false);
        const std::string words = ruler->name + std::string(marksOf(m_language).gap) + ruler->gap;
        const double width = textWidth(words, kLabelSize) * 1.1 + 8, height = kLabelSize + 5;
        const Rect& a = m_plot.area;
        // Beside the ceiling where there is room, so that it hides neither dot nor way.
        const double after = to.x + kHalf + 3, before = to.x - kHalf - 3 - width;
        const bool right = after + width <= a.x + a.w, aside = right || before >= a.x;
        const double left =
            aside ? (right ? after : before)
                  : std::clamp(to.x + 6, a.x + 2, std::max(a.x + 2, a.x + a.w - width - 2));
        const double top = std::clamp(aside ? to.y - height / 2 : to.y - height - 3, a.y + 2,
                                      a.y + a.h - height - 2);
        list().free.push_back(RectShape{.rect = {left, top, width, height},
                                        .fill = Role::Background,
                                        .opacity = 0.92,
                                        .radius = 2});
        text({left + 4, top + height / 2 + kLabelSize * 0.36}, words, kLabelSize, Role::Highlight,
             Anchor::Start, 0, true);
        m_plot.ruler = {.kernel = *m_options.selected, .from = from, .to = to, .text = words};
    }

    void emptyNote() {
        const Rect& a = m_plot.area;
        text({a.x + a.w / 2, a.y + a.h - 24},
             say(m_language, "No kernel with counted floating-point operations",
                 "没有计入浮点运算的内核"),
             kTextSize, Role::TextMuted, Anchor::Middle);
    }

    const Analysis& m_analysis;
    const RooflineScene& m_scene;
    const RooflineOptions& m_options;
    const Language m_language;
    const std::vector<Device> m_noDevices;
    RooflinePlot m_plot;
    RoofLines m_roofs;
    std::vector<MarginName> m_margin;  ///< from above
    bool m_inMargin = false;           ///< there is room for them
    bool m_crowd = false;
    std::vector<std::size_t> m_weights;  ///< by dot of the plot: how many it stands for
    std::unordered_set<std::size_t> m_emphasised;
    std::optional<std::vector<bool>> m_found;  ///< by kernel, during a search
    std::vector<const PlacedDot*> m_labelled;  ///< into m_plot.dots
};

}  // namespace

RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineScene& scene,
                            const RooflineOptions& options) {
    return Layout(analysis, scene, options).run();
}

RooflinePlot layoutRoofline(const Analysis& analysis, const RooflineOptions& options) {
    return layoutRoofline(analysis, collectScene(analysis, options), options);
}

}  // namespace roofscope::plot
