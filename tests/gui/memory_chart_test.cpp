// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/memory_chart.h"

#include <algorithm>

#include "gui/models/details/memory_chart_layout.h"
#include "profile/codec/codec.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

const QString kMissing = QString::fromUtf8("–");
/// A number and its unit stay on one line.
QString joined(const char* text) {
    return QString::fromUtf8(text).replace(QLatin1Char('_'), QChar(QChar::Nbsp));
}

MemoryChart chartOf(const char* file, const char* kernel) {
    const Analysis& analysis = test::recorded(file);
    const auto chart = memoryChart(analysis, kernelNamed(analysis, kernel));
    REQUIRE(chart);
    return *chart;
}

template <class Shape>
std::vector<Shape> shapesOf(const plot::DrawList& list) {
    std::vector<Shape> found;
    for (const plot::Shape& shape : list.free)
        if (const auto* of = std::get_if<Shape>(&shape)) found.push_back(*of);
    return found;
}

/// Height of an arrow at its thickest part.
double height(const plot::PolygonShape& arrow) {
    const auto [top, bottom] =
        std::minmax_element(arrow.corners.begin(), arrow.corners.end(),
                            [](plot::Point a, plot::Point b) { return a.y < b.y; });
    return bottom->y - top->y;
}

}  // namespace

TEST_CASE("the memory chart marks what limits the kernel, as the verdict says") {
    for (const auto& [kernel, level] : {std::pair{"matmulNaive", Level::L1},
                                        {"bankConflict", Level::Shared},
                                        {"ropeTablesMultiply", Level::Dram}}) {
        const MemoryChart chart = chartOf("h200_bundled", kernel);
        CAPTURE(kernel, chart.limit.toStdString());
        CHECK(chart.limited == level);
        CHECK(chart.limit.startsWith("limits: "));
        const auto texts = shapesOf<plot::TextShape>(layoutMemoryChart(chart, 1300).shapes);
        CHECK(std::ranges::any_of(texts, [&](const plot::TextShape& text) {
            return text.text == chart.limit.toStdString() && text.role == plot::Role::Highlight;
        }));
    }
    CHECK(chartOf("h200_bundled", "atomicContention").limit.isEmpty());  // latency-bound
}

TEST_CASE("the memory chart of a recorded kernel") {
    // Adds two vectors of 4,194,304 floats; a warp instruction moves 512 bytes.
    const MemoryChart chart = chartOf("h200_triton_source", "add_kernel");
    const ChartLink& l1 = chart.links[Level::L1];
    REQUIRE(l1.rows.size() == 3);
    CHECK(l1.rows[0].read == "65,536");  // 2 × 16 MiB / 512
    CHECK(l1.rows[0].write == "32,768");
    CHECK(l1.rows[1].read == joined("1.05_M"));  // 16 sectors each
    CHECK(l1.rows[1].write == "524,288");
    CHECK(l1.rows[2].read == joined("33.6_MB"));
    CHECK(l1.rows[2].write == joined("16.8_MB"));
    CHECK(l1.amount.startsWith(joined("50.3_MB")));
    CHECK(l1.reads);
    CHECK(l1.writes);
    const ChartLink& l2 = chart.links[Level::L2];
    CHECK(l2.rows[0].write == joined("16.8_MB"));
    CHECK(l2.rows[1].read == kMissing);  // the group "cache" was not recorded
    CHECK(l2.rows[1].tip.contains("--groups default,cache"));
    CHECK(chart.links[Level::Dram].share == joined("68.9_% of peak"));
    REQUIRE(chart.links[Level::Dram].level);
    CHECK(*chart.links[Level::Dram].level == Approx(0.6886).margin(0.0001));
    CHECK(chart.l2.value == kMissing);
    CHECK_FALSE(chart.l2.measured);
    CHECK(chart.l2.tip.contains("lts__t_sector_hit_rate.pct"));
    // No shared memory traffic: a measured 0, and conflicts do not apply.
    CHECK(chart.links[Level::Shared].rows[0].read == "0");
    CHECK_FALSE(chart.links[Level::Shared].reads);
    CHECK(chart.shared.value == kMissing);
    CHECK(chart.shared.measured);
    CHECK(chart.description.contains(joined("DRAM: 68.9_% of peak")));
}

TEST_CASE("what was not measured is missing, never 0") {
    const auto analysis = sampleAnalysis();
    const auto chart = memoryChart(*analysis, kernelNamed(*analysis, "unmeasured"));
    REQUIRE(chart);
    for (const Level level : kLevels) {
        const ChartLink& link = chart->links[level];
        CHECK_FALSE(link.level.has_value());
        CHECK(link.share == kMissing);
        CHECK(link.amount.isEmpty());
        for (const ChartRow& row : link.rows) CHECK(row.read == kMissing);
        CHECK(link.tip.contains("--groups default"));
    }
    const MemoryChartPlot plot = layoutMemoryChart(*chart, 1300);
    CHECK(shapesOf<plot::PolygonShape>(plot.shapes).empty());  // no arrows
    const auto lines = shapesOf<plot::LineShape>(plot.shapes);
    // Four links and the boxes of L1, L2, DRAM, shared memory and kernel, which has no duration.
    CHECK(std::count_if(lines.begin(), lines.end(),
                        [](const plot::LineShape& line) { return line.dashed; }) == 4 + 5 * 4);
    CHECK_FALSE(memoryChart(*analysis, 9999));
}

TEST_CASE("width and colour of an arrow grow with the share of the peak") {
    const MemoryChart chart = chartOf("h200_triton_source", "add_kernel");
    const MemoryChartPlot plot = layoutMemoryChart(chart, 100);
    CHECK(plot.shapes.width == kLeastChartWidth);
    const auto arrows = shapesOf<plot::PolygonShape>(plot.shapes);
    REQUIRE(arrows.size() == 4);  // shared 0 %, L1 12 %, L2 27 %, DRAM 69 %
    for (std::size_t i = 1; i < arrows.size(); ++i) {
        CHECK(height(arrows[i]) > height(arrows[i - 1]));
        CHECK(arrows[i].opacity > arrows[i - 1].opacity);
    }
    // 2 + 24 × 0.6886 thick, with heads that are 5 wider on both sides.
    CHECK(height(arrows[3]) == Approx(2 + 24 * 0.6886 + 10).margin(0.05));
    CHECK(arrows[0].corners.size() == 4);   // no traffic: no head
    CHECK(arrows[1].corners.size() == 10);  // heads on both ends
    CHECK(arrows[3].fill == plot::Role::Dram);
}

TEST_CASE("everything that is drawn lies inside the picture and apart") {
    const MemoryChart chart = chartOf("h200_bundled", "gelu");
    const MemoryChartPlot plot = layoutMemoryChart(chart, kLeastChartWidth, "A title");
    std::vector<plot::Rect> taken;
    for (const plot::TextShape& text : shapesOf<plot::TextShape>(plot.shapes)) {
        const double width = plot::textWidth(text.text, text.size);
        const double left = text.anchor == plot::Anchor::Start    ? text.at.x
                            : text.anchor == plot::Anchor::Middle ? text.at.x - width / 2
                                                                  : text.at.x - width;
        INFO(text.text);
        CHECK(left >= 0);
        CHECK(left + width <= plot.shapes.width);
        CHECK(text.at.y <= plot.shapes.height);
        for (const plot::Rect& other : taken)
            CHECK((left >= other.x + other.w || left + width <= other.x ||
                   text.at.y - 8 >= other.y + other.h || text.at.y <= other.y));
        taken.push_back({left, text.at.y - 8, width, 8});
    }
    for (const MemoryChartPlot::Spot& spot : plot.spots) CHECK_FALSE(spot.tip.isEmpty());
}
