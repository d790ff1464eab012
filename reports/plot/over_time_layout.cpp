// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/over_time_layout.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "analyzer/over_time/over_time_analysis.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/over_time/over_time_words.h"
#include "reports/plot/layout_canvas.h"

namespace roofscope::plot {

namespace {

constexpr double kRight = 16, kRowHeight = 34, kAxis = 28;
/// Layout of a row: name and detail are on two lines, or side by side in low rows.
struct RowShape {
    double left = 150, gap = 12, least = 31;
    /// Each kind of phase has its own line of bars, so that kinds differ in more than colour.
    double phaseLine = 15;
};
constexpr RowShape kTwoLines, kOneLine{.left = 235, .gap = 4, .least = 13, .phaseLine = 12};
/// Taller rows only look coarser.
constexpr double kHighestRow = 90;
constexpr double kTitleHeight = 34, kMargin = 12, kLane = 20;
/// With more columns, each would be narrower than two pixels.
constexpr std::size_t kMostColumns = 380;

struct RowOf {
    std::string name, detail;
    std::optional<double> Activity::*member;
    Role role;
    double top = 1;                  ///< value at the top edge
    std::optional<double> inPhases;  ///< mean over the phases that it belongs to
};

/// A stretch of time that a finding or the report's sentence mentions.
struct Mark {
    Seconds from, to;
    std::string words;
    bool shaded = true;
};

/// The highest value of a row; 0 if unknown.
double highest(std::span<const OverTimeInterval> curve, std::optional<double> Activity::*member) {
    double most = 0;
    for (const OverTimeInterval& interval : curve)
        most = std::max(most, (interval.activity.*member).value_or(0));
    return most;
}

std::vector<RowOf> rowsOf(const OverTimeAnalysis& life, Language l) {
    const std::span<const OverTimeInterval> curve = life.curve;
    std::vector<RowOf> rows;
    const auto add = [&](std::string name, std::optional<double> Activity::*member, Role role,
                         std::optional<double> inPhases = {}, std::size_t phases = 0) {
        rows.push_back({.name = std::move(name),
                        .detail = inPhases
                                      ? say(l, "{:.0f} % in its {} phases", 100 * *inPhases, phases)
                                      : say(l, "up to {:.0f} %", 100 * highest(curve, member)),
                        .member = member,
                        .role = role,
                        .inPhases = inPhases});
    };
    std::optional<double> moving, issuing, multiplying;
    std::size_t moves = 0, computes = 0;
    if (const std::optional<Phases>& phases = life.phases) {
        moving = phases->inMemory.dram;
        moves = phases->memoryCount;
        computes = phases->computeCount;
        (phases->tensor ? multiplying : issuing) =
            phases->tensor ? phases->inCompute.tensor : phases->inCompute.issue;
    }
    add(say(l, "Active SMs"), &Activity::sms, Role::Fp32);
    add("DRAM", &Activity::dram, Role::Dram, moving, moves);
    // L2 lookups have no roof: scale the row to its highest value.
    if (const double most = highest(curve, &Activity::l2); most > 0)
        rows.push_back({.name = "L2",
                        .detail = say(l, "up to {}", formatNumber(most, Unit::BytesPerSecond)),
                        .member = &Activity::l2,
                        .role = Role::L2,
                        .top = most});
    add(say(l, "Issue slots"), &Activity::issue, Role::L1, issuing, computes);
    constexpr double kInUse = 0.01;
    if (highest(curve, &Activity::tensor) >= kInUse)
        add(say(l, "Tensor cores"), &Activity::tensor, Role::TensorBf16, multiplying, computes);
    return rows;
}

std::vector<Mark> timeMarksOf(const OverTimeAnalysis& life, Language l) {
    std::vector<Mark> marks;
    if (startsSlowly(life)) {
        const SlowStart& start = *life.slowStart;
        marks.push_back({.from = start.from,
                         .to = start.from + start.length,
                         .words = say(l, "slow start: {}", formatTime(start.length))});
    }
    if (const std::optional<Phases>& phases = life.phases)
        marks.push_back(
            {.from = phases->from,
             .to = phases->to,
             .words = say(l, "alternating: {} phases of moving data ({}), {} of computing ({})",
                          phases->memoryCount, formatTime(phases->memory), phases->computeCount,
                          formatTime(phases->compute)),
             .shaded = false});
    if (hasNotableTail(life))
        marks.push_back({.from = life.tail->from,
                         .to = life.end,
                         .words = say(l, "tail: {}", formatTime(life.tail->length))});
    return marks;
}

std::string kindText(Phase::Kind kind, Language l) {
    return kind == Phase::Kind::Memory ? say(l, "moving data") : say(l, "computing");
}

/// " (phase 3 of 10: moving data, 12.0 µs to 40.0 µs)"; empty between phases.
std::string phaseAt(const OverTimeAnalysis& life, Seconds at, Language l) {
    if (!life.phases) return {};
    const std::vector<Phase>& list = life.phases->list;
    const auto phase =
        std::ranges::find_if(list, [&](const Phase& one) { return at >= one.from && at < one.to; });
    if (phase == list.end()) return {};
    return say(l, " (phase {} of {}: {}, {} to {})", phase - list.begin() + 1, list.size(),
               kindText(phase->kind, l), formatTime(phase->from), formatTime(phase->to));
}

/// Merges neighbouring intervals into at most kMostColumns columns.
std::vector<OverTimeInterval> columnsOf(std::span<const OverTimeInterval> curve) {
    const std::size_t each = (curve.size() + kMostColumns - 1) / kMostColumns;
    std::vector<OverTimeInterval> columns;
    for (std::size_t i = 0; i < curve.size(); i += each)
        columns.push_back(joined(curve.subspan(i, std::min(each, curve.size() - i))));
    return columns;
}

/// A step of 1, 2 or 5 times a power of ten that gives about `steps` steps.
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
          m_rows(rowsOf(life, options.language)) {
        m_list.width = options.width;
        arrange(options, kTwoLines);
        if (options.height > 0 && m_list.height > options.height) arrange(options, kOneLine);
    }

    OverTimePlot run(const std::string& title) {
        m_list.clip = {m_shape.left, 0, m_width, m_bottom};
        if (!title.empty())
            text({kMargin, kTitleHeight - 10},
                 fitText(title, kTextSize + 2, m_list.width - 2 * kMargin), Role::Text,
                 Anchor::Start, kTextSize + 2, true);
        double y = m_top;
        for (const RowOf& row : m_rows) {
            drawRow(row, y);
            y += m_row + m_shape.gap;
        }
        drawPhases();
        drawMarks();
        drawAxis();
        return {.shapes = std::move(m_list),
                .area = {m_shape.left, m_top, m_width, m_bottom - m_top}};
    }

private:
    /// Computes the positions.
    void arrange(const OverTimeOptions& options, const RowShape& shape) {
        m_shape = shape;
        m_width = options.width - shape.left - kRight;
        m_lanes.clear();
        placeMarks();
        m_top = (options.framed ? kTitleHeight : 0) + kMargin +
                kLane * static_cast<double>(m_lanes.size());
        m_phases = m_life.phases ? shape.gap + 2 * shape.phaseLine : 0;
        const double count = static_cast<double>(m_rows.size());
        if (options.height > 0)
            m_row = std::clamp(
                (options.height - m_top - m_phases - kAxis + shape.gap) / count - shape.gap - 0.01,
                shape.least, kHighestRow);
        m_bottom = m_top + count * (m_row + shape.gap) - shape.gap + m_phases;
        m_list.height = m_bottom + kAxis;
    }

    /// A mark with the pixel range of the mark and its words.
    struct Placed {
        Mark mark;
        double left, right;
    };

    [[nodiscard]] double x(Seconds time) const {
        return m_shape.left + m_width * (time / m_life.curve.back().to);
    }

    /// Puts each mark into the first lane with room.
    void placeMarks() {
        for (Mark& mark : timeMarksOf(m_life, m_language)) {
            const double words = textWidth(mark.words, kLabelSize) + 8;
            const double left =
                std::max(m_shape.left, std::min(x(mark.from), m_shape.left + m_width - words));
            const double right = std::max(x(mark.to), left + words);
            auto lane = std::ranges::find_if(m_lanes, [&](const std::vector<Placed>& placed) {
                return placed.back().right <= left;
            });
            if (lane == m_lanes.end()) lane = m_lanes.emplace(lane);
            lane->push_back({.mark = std::move(mark), .left = left, .right = right});
        }
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
        const double bottom = y + m_row;
        const auto levelOf = [&](double value) {
            return bottom - m_row * std::clamp(value / row.top, 0.0, 1.0);
        };
        m_list.clipped.push_back(
            RectShape{.rect = {m_shape.left, y, m_width, m_row}, .fill = Role::GridMinor});
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
            corners.push_back({x(column.from), levelOf(*value)});
            corners.push_back({x(column.to), levelOf(*value)});
        }
        close();
        m_list.clipped.push_back(LineShape{
            .from = {m_shape.left, y}, .to = {m_shape.left + m_width, y}, .role = Role::Grid});
        if (row.inPhases) {
            const double level = levelOf(*row.inPhases);
            m_list.clipped.push_back(LineShape{.from = {x(m_life.phases->from), level},
                                               .to = {x(m_life.phases->to), level},
                                               .role = Role::Highlight,
                                               .width = 1.5,
                                               .dashed = true});
        }
        const bool beside = m_shape.left == kOneLine.left;
        const double first = beside ? y + m_row / 2 + 4 : y + 14;
        text({beside ? kMargin : m_shape.left - 10, first}, row.name, Role::Text,
             beside ? Anchor::Start : Anchor::End, kTextSize, true);
        text({m_shape.left - 10, beside ? first : y + 29}, row.detail, Role::TextMuted,
             Anchor::End);
    }

    /// Draws a bar per phase; bars less than a pixel apart are merged.
    void drawPhases() {
        if (!m_life.phases) return;
        const double height = m_shape.phaseLine - 3;
        double y = m_bottom - 2 * m_shape.phaseLine;
        for (const auto& [kind, role] :
             {std::pair{Phase::Kind::Memory, Role::Dram},
              std::pair{Phase::Kind::Compute,
                        m_life.phases->tensor ? Role::TensorBf16 : Role::L1}}) {
            text({m_shape.left - 10, y + height / 2 + 4}, kindText(kind, m_language), Role::Text,
                 Anchor::End);
            std::vector<std::pair<double, double>> bars;
            for (const Phase& phase : m_life.phases->list) {
                if (phase.kind != kind) continue;
                const double from = x(phase.from), to = std::max(x(phase.to), from + 1);
                if (!bars.empty() && from - bars.back().second < 1)
                    bars.back().second = to;
                else
                    bars.emplace_back(from, to);
            }
            for (const auto& [from, to] : bars)
                m_list.clipped.push_back(
                    RectShape{.rect = {from, y, to - from, height}, .fill = role});
            y += m_shape.phaseLine;
        }
    }

    void drawMarks() {
        double y = m_top - kLane * static_cast<double>(m_lanes.size()) - 1;
        for (const std::vector<Placed>& lane : m_lanes) {
            y += kLane;
            for (const Placed& placed : lane) drawMark(placed, y);
        }
    }

    /// A bracket with its words above; lost time is shaded.
    void drawMark(const Placed& placed, double y) {
        const double from = x(placed.mark.from), to = x(placed.mark.to);
        if (placed.mark.shaded)
            m_list.clipped.push_back(RectShape{.rect = {from, m_top, to - from, m_bottom - m_top},
                                               .fill = Role::Highlight,
                                               .opacity = 0.12});
        const auto line = [&](Point a, Point b) {
            m_list.free.push_back(
                LineShape{.from = a, .to = b, .role = Role::Highlight, .width = 1.5});
        };
        line({from, y - 4}, {to, y - 4});
        line({from, y - 4}, {from, y});
        line({to, y - 4}, {to, y});
        text({placed.left + 2, y - 8}, placed.mark.words, Role::Highlight, Anchor::Start);
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
        m_list.free.push_back(LineShape{.from = {m_shape.left, m_bottom},
                                        .to = {m_shape.left + m_width, m_bottom},
                                        .role = Role::Axis});
    }

    const OverTimeAnalysis& m_life;
    const Language m_language;
    const std::vector<OverTimeInterval> m_columns;
    const std::vector<RowOf> m_rows;
    RowShape m_shape;
    double m_width = 0, m_top = 0, m_row = kRowHeight, m_bottom = 0;
    double m_phases = 0;  ///< height of the phase bars, with the gap above
    std::vector<std::vector<Placed>> m_lanes;
    DrawList m_list;
};

}  // namespace

OverTimePlot layoutOverTime(const Analysis& analysis, std::size_t index,
                            const OverTimeOptions& options) {
    const KernelAnalysis& kernel = analysis.kernels.at(index);
    if (!kernel.overTime) return {};
    const std::string title = say(options.language, "{} over time", cleanText(kernel.name, 100));
    OverTimePlot plot =
        Layout(*kernel.overTime, options).run(options.framed ? title : std::string());
    plot.title = title;
    plot.description = overTimeWords(*analysis.profile, kernel, options.language);
    return plot;
}

std::string overTimeNumbers(const OverTimeAnalysis& life, std::size_t interval, Language l) {
    const OverTimeInterval& at = life.curve.at(interval);
    std::string text = say(l, "{} to {}", formatTime(at.from), formatTime(at.to));
    for (const Mark& mark : timeMarksOf(life, l))
        if (mark.shaded && at.from >= mark.from && at.from < mark.to)
            text += say(l, " ({})", mark.words);
    text += phaseAt(life, at.from, l);
    for (const RowOf& row : rowsOf(life, l)) {
        const std::optional<double>& value = at.activity.*row.member;
        text += "\n" + row.name + ": ";
        text += !value                        ? "–"
                : row.member == &Activity::l2 ? formatNumber(*value, Unit::BytesPerSecond)
                                              : formatNumber(*value, Unit::Share);
    }
    return text;
}

}  // namespace roofscope::plot
