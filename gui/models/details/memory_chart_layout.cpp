// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/memory_chart_layout.h"

#include <algorithm>

namespace roofscope::gui {
namespace {

using namespace plot;

constexpr double kMargin = 14, kBoxWidth = 80, kRowHeight = 16, kTextSize = 11, kTitleHeight = 30;
constexpr double kThinnest = 2, kThickest = 26;  // width of arrows at 0 and at peak
constexpr double kFaintest = 0.3;                // opacity at 0
constexpr double kHeadLength = 12, kHeadOverhang = 5, kGap = 6;
constexpr double kArrowHeight = kThickest + 2 * kHeadOverhang;

/// A link and on which of its ends the kernel is: arrow heads of reads point to the kernel.
struct Pair {
    Level level;
    Role role;
    bool kernelIsLeft;
};
constexpr Pair kLinks[] = {{Level::Shared, Role::Shared, false},
                           {Level::L1, Role::L1, true},
                           {Level::L2, Role::L2, true},
                           {Level::Dram, Role::Dram, true}};

class Layout {
public:
    Layout(const MemoryChart& chart, double width) : m_chart(chart) {
        m_out.shapes.width = std::max(width, kLeastChartWidth);
        for (const Pair& link : kLinks)
            m_rows = std::max(m_rows, chart.links[link.level].rows.size());
        m_between = (m_out.shapes.width - 2 * kMargin - 5 * kBoxWidth) / 4;
    }

    MemoryChartPlot run(const QString& title) {
        // Without a title the chart is part of a page, where height is scarce.
        const double edge = title.isEmpty() ? kMargin - 6 : kMargin;
        m_top = edge;
        if (!title.isEmpty()) {
            text({kMargin, m_top + 14}, title, 14, Role::Text, Anchor::Start, true);
            m_top += kTitleHeight;
        }
        const double tableHeight = double(m_rows + 1) * kRowHeight;
        m_axis = m_top + tableHeight + kGap + kArrowHeight / 2;
        m_bottom = m_axis + kArrowHeight / 2 + kGap + 2 * kRowHeight;
        const ChartBox* boxes[] = {&m_chart.shared, &m_chart.sm, &m_chart.l1, &m_chart.l2,
                                   &m_chart.dram};
        const Role roles[] = {Role::Shared, Role::Text, Role::L1, Role::L2, Role::Dram};
        for (std::size_t i = 0; i < std::size(boxes); ++i) box(*boxes[i], roles[i], boxLeft(i));
        for (std::size_t i = 0; i < std::size(kLinks); ++i)
            link(kLinks[i], m_chart.links[kLinks[i].level], boxLeft(i) + kBoxWidth);
        DrawList& shapes = m_out.shapes;
        shapes.height = m_bottom + edge + (m_chart.limit.isEmpty() ? 0 : 6);
        shapes.clip = {0, 0, shapes.width, shapes.height};
        return std::move(m_out);
    }

private:
    [[nodiscard]] double boxLeft(std::size_t index) const {
        return kMargin + double(index) * (kBoxWidth + m_between);
    }

    template <class Shape>
    void add(Shape shape) {
        m_out.shapes.free.emplace_back(std::move(shape));
    }
    void text(Point at, const QString& words, double size, Role role, Anchor anchor,
              bool bold = false) {
        if (words.isEmpty()) return;
        add(TextShape{.at = at,
                      .text = words.toStdString(),
                      .size = size,
                      .role = role,
                      .anchor = anchor,
                      .bold = bold});
    }
    void spot(Rect rect, const QString& tip) { m_out.spots.push_back({rect, tip}); }

    void outline(const Rect& r, Role role, bool dashed) {
        const Point corners[] = {
            {r.x, r.y}, {r.x + r.w, r.y}, {r.x + r.w, r.y + r.h}, {r.x, r.y + r.h}};
        for (std::size_t i = 0; i < 4; ++i)
            add(LineShape{.from = corners[i],
                          .to = corners[(i + 1) % 4],
                          .role = role,
                          .width = 1.5,
                          .dashed = dashed});
    }

    void box(const ChartBox& box, Role role, double left) {
        const Rect rect{left, m_top, kBoxWidth, m_bottom - m_top};
        add(RectShape{.rect = rect, .fill = Role::GridMinor});
        outline(rect, box.measured ? role : Role::Axis, !box.measured);
        const double middle = left + kBoxWidth / 2, centre = m_top + rect.h / 2;
        text({middle, centre - 18}, box.title, 14, role, Anchor::Middle, true);
        text({middle, centre + 6}, box.label, kTextSize, Role::TextMuted, Anchor::Middle);
        text({middle, centre + 24}, box.value, kTextSize + 1, Role::Text, Anchor::Middle);
        if (&box == &m_chart.sm && !m_chart.limited) mark(rect);
        spot(rect, box.tip);
    }

    /// Marks what limits the kernel, in the colour of the plot's ruler.
    void mark(const Rect& r) {
        if (m_chart.limit.isEmpty()) return;
        for (const double y : {r.y, r.y + r.h})
            add(LineShape{
                .from = {r.x, y}, .to = {r.x + r.w, y}, .role = Role::Highlight, .width = 2});
        text({r.x + r.w / 2, m_bottom + 12}, m_chart.limit, kTextSize + 1, Role::Highlight,
             Anchor::Middle, true);
    }

    void link(const Pair& pair, const ChartLink& link, double left) {
        const double right = left + m_between, inset = 8;
        const double readAt = right - inset - std::max(60.0, 0.3 * m_between),
                     writeAt = right - inset;
        // Tables are aligned at the bottom, above the arrow: with fewer rows they start lower.
        double y = m_top + double(m_rows - link.rows.size()) * kRowHeight + 11;
        text({readAt, y}, link.readName, kTextSize, Role::TextMuted, Anchor::End);
        text({writeAt, y}, link.writeName, kTextSize, Role::TextMuted, Anchor::End);
        for (const ChartRow& row : link.rows) {
            y += kRowHeight;
            text({left + inset, y}, row.name, kTextSize, Role::TextMuted, Anchor::Start);
            text({readAt, y}, row.read, kTextSize, Role::Text, Anchor::End);
            text({writeAt, y}, row.write, kTextSize, Role::Text, Anchor::End);
            spot({left, y - 12, m_between, kRowHeight}, row.tip);
        }
        arrow(pair, link, left + 3, right - 3);
        if (m_chart.limited == pair.level)
            mark({left + 3, m_axis - kArrowHeight / 2 - 1, m_between - 6, kArrowHeight + 2});
        const double middle = (left + right) / 2, below = m_axis + kArrowHeight / 2 + kGap;
        text({middle, below + 10}, link.share, kTextSize + 1, Role::Text, Anchor::Middle, true);
        text({middle, below + 10 + kRowHeight}, link.amount, kTextSize, Role::TextMuted,
             Anchor::Middle);
        spot({left, m_axis - kArrowHeight / 2, m_between, m_bottom - m_axis + kArrowHeight / 2},
             link.tip);
    }

    void arrow(const Pair& pair, const ChartLink& link, double left, double right) {
        if (!link.level) {
            add(LineShape{.from = {left, m_axis},
                          .to = {right, m_axis},
                          .role = Role::Axis,
                          .width = kThinnest,
                          .dashed = true});
            return;
        }
        const double half = (kThinnest + (kThickest - kThinnest) * *link.level) / 2;
        // If the direction is unknown, draw both heads.
        const bool unknown = !link.reads && !link.writes && *link.level > 0;
        const bool toKernel = link.reads || unknown, fromKernel = link.writes || unknown;
        const bool headLeft = pair.kernelIsLeft ? toKernel : fromKernel;
        const bool headRight = pair.kernelIsLeft ? fromKernel : toKernel;
        const double head = half + kHeadOverhang;
        std::vector<Point> corners;
        const auto end = [&](double tip, double neck, bool pointed, double upper) {
            // The corners of one end, starting at the side `upper` (−1 or 1 times the y axis).
            if (!pointed) {
                corners.push_back({tip, m_axis + upper * half});
                corners.push_back({tip, m_axis - upper * half});
                return;
            }
            corners.push_back({neck, m_axis + upper * half});
            corners.push_back({neck, m_axis + upper * head});
            corners.push_back({tip, m_axis});
            corners.push_back({neck, m_axis - upper * head});
            corners.push_back({neck, m_axis - upper * half});
        };
        end(left, left + kHeadLength, headLeft, 1);
        end(right, right - kHeadLength, headRight, -1);
        add(PolygonShape{.corners = std::move(corners),
                         .fill = pair.role,
                         .opacity = kFaintest + (1 - kFaintest) * *link.level});
    }

    const MemoryChart& m_chart;
    std::size_t m_rows = 0;
    double m_between = 0, m_top = 0, m_axis = 0, m_bottom = 0;
    MemoryChartPlot m_out;
};

}  // namespace

MemoryChartPlot layoutMemoryChart(const MemoryChart& chart, double width, const QString& title) {
    return Layout(chart, width).run(title);
}

}  // namespace roofscope::gui
