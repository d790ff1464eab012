// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/over_time_layout.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "analyzer/over_time/over_time_analysis.h"
#include "reports/escape.h"
#include "reports/language/say.h"
#include "reports/number_format.h"
#include "reports/over_time_words.h"
#include "reports/plot/layout_canvas.h"

namespace roofscope::plot {

namespace {

constexpr double kLeft = 150, kRight = 16, kRowHeight = 34, kGap = 12, kAxis = 34;
constexpr double kTitleHeight = 34, kMargin = 22;
/// More columns than that are narrower than two pixels.
constexpr std::size_t kMostColumns = 380;

struct RowOf {
    std::string name, detail;
    std::optional<double> Activity::*member;
    Role role;
    double top = 1;  ///< value at the upper edge
};

/// The highest value of a row; 0 where none is known.
double highest(std::span<const OverTimeInterval> curve, std::optional<double> Activity::*member) {
    double most = 0;
    for (const OverTimeInterval& interval : curve)
        most = std::max(most, (interval.activity.*member).value_or(0));
    return most;
}

std::vector<RowOf> rowsOf(std::span<const OverTimeInterval> curve, Language l) {
    std::vector<RowOf> rows;
    const auto add = [&](std::string name, std::optional<double> Activity::*member, Role role) {
        rows.push_back(
            {.name = std::move(name),
             .detail = say(l, "up to {:.0f} %", "最高 {:.0f} %", 100 * highest(curve, member)),
             .member = member,
             .role = role});
    };
    add(say(l, "Active SMs", "活动的 SM"), &Activity::sms, Role::Fp32);
    add(say(l, "DRAM", "DRAM"), &Activity::dram, Role::Dram);
    // Sectors that L2 slices look up have no roof: the row ends at its highest value.
    if (const double most = highest(curve, &Activity::l2); most > 0)
        rows.push_back(
            {.name = "L2",
             .detail = say(l, "up to {}", "最高 {}", formatNumber(most, Unit::BytesPerSecond)),
             .member = &Activity::l2,
             .role = Role::L2,
             .top = most});
    add(say(l, "Issue slots", "发射槽"), &Activity::issue, Role::L1);
    constexpr double kInUse = 0.01;
    if (highest(curve, &Activity::tensor) >= kInUse)
        add(say(l, "Tensor cores", "张量核心"), &Activity::tensor, Role::TensorBf16);
    return rows;
}

/// Neighbours put together until there are no more than can be seen.
std::vector<OverTimeInterval> columnsOf(std::span<const OverTimeInterval> curve) {
    const std::size_t each = (curve.size() + kMostColumns - 1) / kMostColumns;
    std::vector<OverTimeInterval> columns;
    for (std::size_t i = 0; i < curve.size(); i += each)
        columns.push_back(joined(curve.subspan(i, std::min(each, curve.size() - i))));
    return columns;
}

/// 1, 2 or 5 times a power of ten, so that there are about so many steps.
double niceStep(double range, double steps) {
    const double rough = range / steps, power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough) return factor * power;
    return 10 * power;
}

class Layout {
public:
    Layout(const OverTimeAnalysis& life, const OverTimeOptions& options)
        : m_life(life),
          m_language(options.language),
          m_columns(columnsOf(life.curve)),
          m_top(options.framed ? kTitleHeight + kMargin : kMargin),
          m_width(options.width - kLeft - kRight) {
        m_list.width = options.width;
    }

    DrawList run(const std::string& title) {
        const std::vector<RowOf> rows = rowsOf(m_life.curve, m_language);
        m_bottom = m_top + static_cast<double>(rows.size()) * (kRowHeight + kGap) - kGap;
        m_list.height = m_bottom + kAxis;
        m_list.clip = {kLeft, 0, m_width, m_bottom};
        if (!title.empty())
            text({kMargin / 2, kTitleHeight - 10},
                 fitText(title, kTextSize + 2, m_list.width - kMargin), Role::Text, Anchor::Start,
                 kTextSize + 2, true);
        double y = m_top;
        for (const RowOf& row : rows) {
            drawRow(row, y);
            y += kRowHeight + kGap;
        }
        drawTail();
        drawAxis();
        return std::move(m_list);
    }

private:
    [[nodiscard]] double x(Seconds time) const {
        return kLeft + m_width * (time / m_life.curve.back().to);
    }

    void text(Point at, std::string words, Role role, Anchor anchor, double size = kLabelSize,
              bool bold = false) {
        m_list.free.push_back(TextShape{.at = at,
                                        .text = std::move(words),
                                        .size = size,
                                        .role = role,
                                        .anchor = anchor,
                                        .bold = bold});
    }

    void drawRow(const RowOf& row, double y) {
        const double bottom = y + kRowHeight;
        m_list.clipped.push_back(
            RectShape{.rect = {kLeft, y, m_width, kRowHeight}, .fill = Role::GridMinor});
        std::vector<Point> corners;
        const auto close = [&] {
            if (corners.empty()) return;
            corners.push_back({corners.back().x, bottom});
            corners.insert(corners.begin(), {corners.front().x, bottom});
            m_list.clipped.push_back(
                PolygonShape{.corners = std::move(corners), .fill = row.role, .opacity = 0.8});
            corners.clear();
        };
        for (const OverTimeInterval& column : m_columns) {
            const std::optional<double>& value = column.activity.*row.member;
            if (!value) {  // a gap
                close();
                continue;
            }
            const double level = bottom - kRowHeight * std::clamp(*value / row.top, 0.0, 1.0);
            corners.push_back({x(column.from), level});
            corners.push_back({x(column.to), level});
        }
        close();
        m_list.clipped.push_back(
            LineShape{.from = {kLeft, y}, .to = {kLeft + m_width, y}, .role = Role::Grid});
        text({kLeft - 10, y + 14}, row.name, Role::Text, Anchor::End, kTextSize, true);
        text({kLeft - 10, y + 29}, row.detail, Role::TextMuted, Anchor::End);
    }

    void drawTail() {
        if (!hasNotableTail(m_life)) return;
        const double at = x(m_life.tail->from);
        m_list.free.push_back(LineShape{.from = {at, m_top - 6},
                                        .to = {at, m_bottom},
                                        .role = Role::Highlight,
                                        .width = 1.5,
                                        .dashed = true});
        const std::string words = say(m_language, "tail: {}", "尾部：{}",
                                      formatNumber(m_life.tail->length.value, Unit::Seconds));
        const bool fits = at + 4 + textWidth(words, kLabelSize) < m_list.width;
        text({fits ? at + 4 : at - 4, m_top - 8}, words, Role::Highlight,
             fits ? Anchor::Start : Anchor::End);
    }

    void drawAxis() {
        const double whole = m_life.curve.back().to.value;
        const bool ms = whole >= 1e-3;
        const double unit = ms ? 1e-3 : 1e-6;
        constexpr double kPixelsPerTick = 90;
        const double step = niceStep(whole / unit, m_width / kPixelsPerTick);
        for (int i = 0; i * step <= whole / unit * (1 + 1e-9); ++i) {
            const double at = x({i * step * unit});
            m_list.free.push_back(
                LineShape{.from = {at, m_bottom}, .to = {at, m_bottom + 5}, .role = Role::Axis});
            text({at, m_bottom + 18},
                 fmt::format("{:g}{}", i * step, i == 0 ? ms ? " ms" : " µs" : ""), Role::TextMuted,
                 Anchor::Middle);
        }
        m_list.free.push_back(LineShape{
            .from = {kLeft, m_bottom}, .to = {kLeft + m_width, m_bottom}, .role = Role::Axis});
    }

    const OverTimeAnalysis& m_life;
    const Language m_language;
    const std::vector<OverTimeInterval> m_columns;
    const double m_top, m_width;
    double m_bottom = 0;
    DrawList m_list;
};

}  // namespace

OverTimePlot layoutOverTime(const Analysis& analysis, std::size_t index,
                            const OverTimeOptions& options) {
    const KernelAnalysis& kernel = analysis.kernels.at(index);
    OverTimePlot plot;
    if (!kernel.overTime) return plot;
    plot.title =
        say(options.language, "{} over its time", "{} 的运行过程", cleanText(kernel.name, 100));
    plot.description = overTimeWords(*analysis.profile, kernel, options.language);
    plot.shapes = Layout(*kernel.overTime, options).run(options.framed ? plot.title : "");
    return plot;
}

}  // namespace roofscope::plot
