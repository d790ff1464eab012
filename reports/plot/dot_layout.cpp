// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/dot_layout.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "profile/text/utf8.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::plot {

namespace {

/// With more kernels than kNameAll, only the kNameMany largest get names: hundreds would be a grey
/// haze.
constexpr std::size_t kNameAll = 60, kNameMany = 14;
constexpr double kOpaque = 0.85, kFaint = 0.6;
/// Unselected dots stay readable: contrast 3:1 with the background in every colour.
constexpr double kUnselected = 0.72;
/// Opacity of dots that a search did not find.
constexpr double kDimmed = 0.1;
constexpr std::size_t kLongestName = 34;  ///< characters
constexpr double kBold = 1.1, kNameHeight = kLabelSize + 4;

/// The width in bold, so that selecting a kernel does not move names.
double widthOf(const std::string& name) { return textWidth(name, kLabelSize) * kBold + 4; }

/// The combined opacity of that many stacked layers.
double pile(double opacity, std::size_t layers) {
    constexpr std::size_t kDense = 16;  // more layers look the same
    double through = 1;
    for (std::size_t i = 0; i < std::min(layers, kDense); ++i) through *= 1 - opacity;
    return 1 - through;
}

/// Divides the pixels of a crowded plot into cells. Only the first (largest) dot per level and cell
/// is drawn; dots that a search found have cells of their own.
class PixelCells {
public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    struct Cell {
        std::uint32_t first = kNone;  ///< dot
        std::uint32_t dots = 0;       ///< dots that are not emphasised
    };

    explicit PixelCells(const LayoutCanvas& canvas)
        : m_canvas(canvas),
          m_low(canvas.plot.toLog(
              {canvas.plot.area.x - kMargin, canvas.plot.area.y + canvas.plot.area.h + kMargin})),
          m_high(canvas.plot.toLog(
              {canvas.plot.area.x + canvas.plot.area.w + kMargin, canvas.plot.area.y - kMargin})),
          m_size(canvas.scene.grid.count(m_low, m_high) > kManyInView ? kCoarseCell : kCell),
          m_xScale(canvas.plot.area.w / (canvas.plot.viewport.xMax - canvas.plot.viewport.xMin)),
          m_yScale(canvas.plot.area.h / (canvas.plot.viewport.yMax - canvas.plot.viewport.yMin)),
          m_columns(static_cast<std::size_t>((canvas.plot.area.w + 2 * kMargin) / m_size) + 1),
          m_rows(static_cast<std::size_t>((canvas.plot.area.h + 2 * kMargin) / m_size) + 1),
          m_cells((canvas.found ? 2 : 1) * kLevels.size() * m_columns * m_rows) {}

    /// The cell of the scene's dot with index `dot`, which lies at `place` (logarithms).
    Cell& of(std::size_t dot, Point place, Level level) {
        const Viewport& v = m_canvas.plot.viewport;
        const double right = (place.x - v.xMin) * m_xScale, up = (place.y - v.yMin) * m_yScale;
        const auto column = static_cast<std::size_t>(std::max(0.0, right + kMargin) / m_size);
        const auto row =
            static_cast<std::size_t>(std::max(0.0, m_canvas.plot.area.h - up + kMargin) / m_size);
        auto layer = static_cast<std::size_t>(level);
        if (m_canvas.found)
            layer = 2 * layer + (m_canvas.isDimmed(m_canvas.scene.dots[dot]) ? 1 : 0);
        return m_cells[(layer * m_rows + std::min(row, m_rows - 1)) * m_columns +
                       std::min(column, m_columns - 1)];
    }

    /// Fills the cells with the dots in view and sets `shown` for dots that are emphasised or the
    /// first in their cell.
    void fill(std::vector<bool>& shown) {
        m_canvas.scene.grid.visit(m_low, m_high, [&](const DotGrid::Entry& entry) {
            // Access the dot itself only if needed: there are many.
            const PlacedDot& dot = m_canvas.scene.dots[entry.dot];
            if (!isInView(entry.place, dot)) return;
            Cell& cell = of(entry.dot, entry.place, entry.level);
            cell.first = std::min(cell.first, entry.dot);
            if (m_canvas.emphasised.empty() || !m_canvas.emphasised.contains(dot.kernel))
                ++cell.dots;
            else
                shown[entry.dot] = true;
        });
        for (const Cell& cell : m_cells)
            if (cell.first != kNone) shown[cell.first] = true;
    }

private:
    /// Cell sizes in pixels. The coarse one is for so many dots in view that a frame would take too
    /// long.
    static constexpr double kCell = 6, kCoarseCell = 8, kMargin = 20;
    static constexpr std::size_t kManyInView = 15000;

    [[nodiscard]] bool isInView(Point place, const PlacedDot& dot) const {
        if (place.x < m_low.x || place.x > m_high.x || place.y < m_low.y || place.y > m_high.y)
            return false;
        const Viewport& v = m_canvas.plot.viewport;
        const bool inside =
            place.x >= v.xMin && place.x <= v.xMax && place.y >= v.yMin && place.y <= v.yMax;
        return inside || m_canvas.isVisible(m_canvas.atLog(place.x, place.y), dot.radius);
    }

    const LayoutCanvas& m_canvas;
    const Point m_low, m_high;
    const double m_size, m_xScale, m_yScale;
    const std::size_t m_columns, m_rows;
    std::vector<Cell> m_cells;
};

}  // namespace

DotLayout::DotLayout(LayoutCanvas& canvas) : m_canvas(canvas) {
    if (m_canvas.crowd)
        placeOfCrowd();
    else
        placeAll();
    if (m_canvas.options.labels) chooseNames();
}

void DotLayout::placeAll() {
    auto& dots = m_canvas.plot.dots = m_canvas.scene.dots;
    for (std::size_t i = 0; i < dots.size(); ++i)
        dots[i].centre = m_canvas.atLog(m_canvas.scene.places[i].x, m_canvas.scene.places[i].y);
    m_weights.assign(dots.size(), 1);
}

void DotLayout::placeOfCrowd() {
    const RooflineScene& scene = m_canvas.scene;
    PixelCells cells(m_canvas);
    std::vector<bool> shown(scene.dots.size());
    cells.fill(shown);
    const auto count = static_cast<std::size_t>(std::ranges::count(shown, true));
    m_weights.reserve(count);
    m_canvas.plot.dots.reserve(count);
    // In the scene's order, which is the drawing order.
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (!shown[i]) continue;
        const PlacedDot& dot = scene.dots[i];
        const PixelCells::Cell& cell = cells.of(i, scene.places[i], dot.level);
        // An emphasised dot counts only itself, and if it is the first in its cell, the hidden
        // ones, too.
        m_weights.push_back(
            cell.first != i ? 1 : cell.dots + (m_canvas.emphasised.contains(dot.kernel) ? 1 : 0));
        m_canvas.plot.dots.push_back(dot);
        m_canvas.plot.dots.back().centre = m_canvas.atLog(scene.places[i].x, scene.places[i].y);
    }
}

std::string DotLayout::nameOf(std::size_t kernel) const {
    std::string name = cleanText(m_canvas.analysis.kernels[kernel].name, 200);
    if (utf8::length(name) > kLongestName) name = cleanText(name, kLongestName);
    if (name.find_first_not_of(' ') == std::string::npos) name = "(no name)";
    // The rank in the report tells kernels of the same name apart.
    if (m_canvas.scene.namesake[kernel]) name += fmt::format(" #{}", kernel + 1);
    return name;
}

std::vector<const PlacedDot*> DotLayout::firstOfKernels() const {
    std::vector<const PlacedDot*> first(m_canvas.analysis.kernels.size());
    for (const PlacedDot& dot : m_canvas.plot.dots) {
        if (!m_canvas.isVisible(dot.centre, 0) || m_canvas.isDimmed(dot)) continue;
        const PlacedDot*& owner = first[dot.kernel];
        // DRAM, the lowest level, is furthest to the right and has the most room.
        if (!owner || dot.level < owner->level) owner = &dot;
    }
    return first;
}

void DotLayout::chooseNames() {
    const std::vector<const PlacedDot*> first = firstOfKernels();
    for (const PlacedDot* dot : first)
        if (dot) m_named.push_back(dot);
    const std::size_t count = m_named.size() > kNameAll ? kNameMany : m_named.size();
    const auto end = m_named.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<double>& shares = m_canvas.scene.shares;
    std::partial_sort(m_named.begin(), end, m_named.end(),
                      [&](const PlacedDot* x, const PlacedDot* y) {
                          const double left = shares[x->kernel], right = shares[y->kernel];
                          return left != right ? left > right : x->kernel < y->kernel;
                      });
    m_named.erase(end, m_named.end());
    // A selected kernel is always named; it comes last, so that the other names do not move.
    const auto selected = m_canvas.options.selected;
    if (selected && *selected < first.size() && first[*selected] &&
        std::ranges::find(m_named, first[*selected]) == m_named.end())
        m_named.push_back(first[*selected]);
}

void DotLayout::draw() {
    const std::set<const PlacedDot*> named(m_named.begin(), m_named.end());
    const auto& dots = m_canvas.plot.dots;
    // In a crowd named dots are drawn last, so that leaders end at something visible.
    const auto isOnTop = [&](const PlacedDot& dot) {
        return m_canvas.crowd && (named.contains(&dot) || m_canvas.emphasised.contains(dot.kernel));
    };
    m_canvas.list().clipped.reserve(m_canvas.list().clipped.size() + dots.size());
    for (const bool dimmed : {true, false}) {
        if (dimmed && !m_canvas.found) continue;
        for (std::size_t i = 0; i < dots.size(); ++i)
            if (!isOnTop(dots[i]) && m_canvas.isDimmed(dots[i]) == dimmed) draw(i, m_canvas.crowd);
    }
    for (std::size_t i = 0; i < dots.size(); ++i)
        if (isOnTop(dots[i])) draw(i, false);
}

void DotLayout::draw(std::size_t index, bool faint) {
    const PlacedDot& dot = m_canvas.plot.dots[index];
    if (!m_canvas.isVisible(dot.centre, dot.radius)) return;
    const bool isSelected = m_canvas.emphasised.contains(dot.kernel);
    const bool isDimmed = m_canvas.isDimmed(dot);
    std::vector<Shape>& shapes = m_canvas.list().clipped;
    if (isSelected)
        shapes.push_back(MarkerShapeItem{.centre = dot.centre,
                                         .radius = dot.radius + 4,
                                         .shape = shapeOf(dot.level),
                                         .role = Role::Selection,
                                         .opacity = 0.8});
    const double opacity = isDimmed                                      ? kDimmed
                           : m_canvas.found                              ? kOpaque
                           : !m_canvas.emphasised.empty() && !isSelected ? kUnselected
                           : faint                                       ? kFaint
                                                                         : kOpaque;
    // A dot that stands for several is as opaque as they would be stacked.
    const std::size_t weight = m_weights[index];
    shapes.push_back(MarkerShapeItem{
        .centre = dot.centre,
        .radius = dot.radius,
        .shape = shapeOf(dot.level),
        .role = roleOf(dot.level),
        .opacity = weight > 1 && !isDimmed ? std::min(kOpaque, pile(opacity, weight)) : opacity,
        .outlined = !faint,
        .tip = m_canvas.options.tips ? tip(dot) : std::string(),
        .kernel = dot.kernel});
}

std::string DotLayout::tip(const PlacedDot& dot) const {
    return say(m_canvas.language, "{}: {}, {} at {}",
               cleanText(m_canvas.analysis.kernels[dot.kernel].name, 120), m_canvas.levelWords(dot),
               formatRate(dot.rate.value, dot.precision),
               formatIntensity(dot.intensity.value, dot.precision));
}

/// A place for a name that must be shown, without hiding another name, with a leader to its dot.
std::optional<LabelPlacement::Placed> DotLayout::farFrom(const LabelPlacement& labels,
                                                         const PlacedDot& dot, double width,
                                                         double height) const {
    constexpr double kRing = 5, kBesideLeader = 8, kAcrossNames = 80;
    const double radius = dot.radius + kRing;
    const auto cost = [&](const TurnedBox& box) {
        if (overlap(box, dot.centre, radius)) return std::numeric_limits<double>::infinity();
        return labels.leaderIsFree(LabelPlacement::leaderTo(box, dot.centre, radius))
                   ? 0
                   : kAcrossNames;
    };
    const auto box = labels.nearest({dot.centre, dot.centre}, width, height, cost);
    if (!box) return std::nullopt;
    LabelPlacement::Placed placed{.box = *box, .leader = {}};
    if (!overlap(*box, dot.centre, radius + kBesideLeader))
        placed.leader = LabelPlacement::leaderTo(*box, dot.centre, radius);
    return placed;
}

/// A place right beside the dot for a name that must be shown, whatever it hides.
std::optional<LabelPlacement::Placed> DotLayout::beside(const PlacedDot& dot, double width,
                                                        double height) const {
    const Rect& a = m_canvas.plot.area;
    const double right = dot.centre.x + dot.radius + 6, left = right - 2 * dot.radius - 12;
    const bool fits = right + width <= a.x + a.w;
    Point centre{fits ? right + width / 2 : left - width / 2, dot.centre.y};
    if (!fits && left - width < a.x) {  // long name, small plot: below or above the dot
        if (width > a.w) return std::nullopt;
        centre.x = std::clamp(dot.centre.x, a.x + width / 2, a.x + a.w - width / 2);
        const double away = dot.radius + 6 + height / 2;
        centre.y += centre.y + away + height / 2 <= a.y + a.h ? away : -away;
    }
    return LabelPlacement::Placed{
        .box = {.centre = centre, .halfWidth = width / 2, .halfHeight = height / 2}};
}

/// Places a name that must be shown after the others have their places; it moves none of them.
std::optional<DotLayout::Written> DotLayout::anywhere(LabelPlacement& labels, const PlacedDot& dot,
                                                      const std::string& name) const {
    // A shortened name may fit beside the dot; the table has the full name.
    constexpr std::size_t kShort[] = {kLongestName, 22, 14};
    if (!m_canvas.crowd)
        for (const std::size_t letters : kShort) {
            const std::string text = utf8::length(name) > letters ? cleanText(name, letters) : name;
            if (const auto placed =
                    labels.placeNear(dot.centre, dot.radius, widthOf(text), kNameHeight, true))
                return Written{&dot, *placed, text};
        }
    // In a crowd do not look for a free place: there is none.
    auto placed = m_canvas.crowd ? std::nullopt : farFrom(labels, dot, widthOf(name), kNameHeight);
    if (!placed) placed = beside(dot, widthOf(name), kNameHeight);
    if (!placed) return std::nullopt;
    labels.addBox(placed->box);
    return Written{&dot, *placed, name};
}

void DotLayout::write(LabelPlacement& labels) {
    std::vector<Written> written;
    std::optional<std::pair<const PlacedDot*, std::string>> selected;  // found no room
    for (const PlacedDot* dot : m_named) {
        std::string name = nameOf(dot->kernel);
        if (m_canvas.options.selected == dot->kernel)
            name = fitText(name, kLabelSize, m_canvas.plot.area.w / kBold - 6);
        const double width = widthOf(name);
        auto placed = labels.placeNear(dot->centre, dot->radius, width, kNameHeight);
        // Else try the kernel's dots at the other levels.
        for (std::size_t i = 0; !placed && !m_canvas.crowd && i < m_canvas.plot.dots.size(); ++i) {
            const PlacedDot& other = m_canvas.plot.dots[i];
            if (other.kernel != dot->kernel || !m_canvas.isVisible(other.centre, 0)) continue;
            placed = labels.placeNear(other.centre, other.radius, width, kNameHeight);
            if (placed) dot = &other;
        }
        // There may be no room between two roofs: names of kernels that matter may cross lines.
        constexpr double kMatters = 0.05;
        if (const auto& share = m_canvas.analysis.kernels[dot->kernel].timeShare;
            !placed && share.has() && share->value >= kMatters)
            placed = labels.placeNear(dot->centre, dot->radius, width, kNameHeight, true);
        if (placed)
            written.push_back({dot, *placed, name});
        else if (m_canvas.options.selected == dot->kernel)
            selected = {dot, name};
    }
    if (selected)
        if (auto last = anywhere(labels, *selected->first, selected->second)) {
            // Remove names that it covers.
            std::erase_if(written, [&](const Written& other) {
                return overlap(last->placed.box, other.placed.box);
            });
            written.push_back(*std::move(last));
        }
    for (const Written& each : written) write(each);
}

void DotLayout::write(const Written& written) {
    const auto& [dot, placed, name] = written;
    std::vector<Shape>& shapes = m_canvas.list().free;
    if (placed.leader)
        shapes.push_back(LineShape{.from = placed.leader->from,
                                   .to = placed.leader->to,
                                   .role = Role::TextMuted,
                                   .width = 0.8});
    const Point centre = placed.box.centre;
    const double half = placed.box.halfWidth, height = 2 * placed.box.halfHeight;
    shapes.push_back(RectShape{.rect = {centre.x - half, centre.y - height / 2, 2 * half, height},
                               .fill = Role::Background,
                               .opacity = 0.75,
                               .radius = 2});
    // Anchor the text at the dot's side, so that a narrower font leaves no gap there.
    const bool leftOfDot = centre.x + half <= dot->centre.x;
    const bool centred = !leftOfDot && centre.x - half < dot->centre.x;
    const Anchor anchor = centred ? Anchor::Middle : leftOfDot ? Anchor::End : Anchor::Start;
    const double x = centred ? centre.x : leftOfDot ? centre.x + half - 2 : centre.x - half + 2;
    m_canvas.text({x, centre.y + kLabelSize * 0.36}, name, kLabelSize, Role::Text, anchor, 0,
                  m_canvas.options.selected == dot->kernel);
    std::get<TextShape>(shapes.back()).kernel = dot->kernel;
}

}  // namespace roofscope::plot
