// SPDX-License-Identifier: Apache-2.0
// How reports show a kernel's activity over time: the line, the picture and the JSON.
#include <algorithm>
#include <limits>
#include <map>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "analyzer/over_time/over_time_analysis.h"
#include "reports/over_time/over_time_words.h"
#include "reports/plot/over_time_layout.h"
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/reports/well_formed.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/text.h"

using namespace roofscope;
using test::contains, test::count;
using test::SyntheticProfile;
using Doing = SyntheticProfile::Activity;

namespace {

constexpr Doing kCopying{.sms = 1, .dram = 0.8, .issue = 0.06, .l2 = 6e12};
constexpr Doing kComputing{.sms = 1, .dram = 0.01, .issue = 0.6};
constexpr Doing kOneSm{.sms = 1.0 / 132, .dram = 0.0001, .issue = 0.0004};

SyntheticProfile::OverTimeRef sampled(SyntheticProfile& p, double durationUs, double intervalUs) {
    return p.overTime(test::idleLaunch(p, "k<&\"'>(float*)", {1056, 1, 1}, {256, 1, 1}, durationUs)
                          .residentBlocksPerSm(8),
                      intervalUs);
}

SyntheticProfile serialTail() {
    SyntheticProfile p;
    sampled(p, 80, 2).intervals(10, kCopying).intervals(30, kOneSm);
    return p;
}

SyntheticProfile slowStart() {
    SyntheticProfile p;
    sampled(p, 80, 2)
        .intervals(10, {.sms = 1, .dram = 0.001, .issue = 0.02})
        .intervals(30, kCopying);
    return p;
}

SyntheticProfile alternating() {
    SyntheticProfile p;
    auto trace = sampled(p, 120, 1);
    for (int i = 0; i < 4; ++i) trace.intervals(10, kCopying).intervals(20, kComputing);
    return p;
}

std::string words(const SyntheticProfile& p, Language language = Language::En) {
    const Analysis analysis = test::analysisOf(p);
    return overTimeWords(*analysis.profile, analysis.kernels.front(), language);
}

std::string rendered(const SyntheticProfile& p, ReportFormat format, ReportOptions options = {}) {
    return renderReport(test::analysisOf(p), format, options).value();
}

}  // namespace

TEST_CASE("one line says what a kernel did over its time") {
    CHECK(
        words(serialTail()) ==
        "Over its 80.0 µs (sampled every 2.00 µs): 20.0 µs with all 132 SMs and the DRAM at 80 %, "
        "then 60.0 µs with 1 of 132 SMs.");
    CHECK(
        words(serialTail(), test::kZh) ==
        "在其 80.0 µs 内（每 2.00 µs 采样）：20.0 µs，全部 132 个 SM 活动，DRAM 为 80 %；然后 60.0 "
        "µs，132 个 SM 中的 1 个活动。");
    CHECK(words(alternating()) ==
          "Over its 120 µs (sampled every 1.00 µs): 120 µs with all 132 SMs. It alternates "
          "between 4 phases of moving data (40.0 µs; the DRAM at 80 %) and 4 of computing (80.0 "
          "µs; 60 % of the issue "
          "slots used).");
    CHECK(words(slowStart()) ==
          "Over its 80.0 µs (sampled every 2.00 µs): 20.0 µs with little activity, then "
          "60.0 µs with all 132 SMs and the DRAM at 80 %.");
    CHECK(contains(words(slowStart(), test::kZh), "20.0 µs 期间做得很少"));
    SyntheticProfile p;
    test::idleLaunch(p, "k()", {1056, 1, 1}, {256, 1, 1}, 80);
    CHECK(words(p).empty());
}

TEST_CASE("a short tail is not reported, a slow start is") {
    SyntheticProfile p;
    Doing few = kCopying;
    few.sms = 0.3;
    few.dram = 0.3;
    sampled(p, 200, 2).intervals(10, few).intervals(86, kCopying).intervals(4, kOneSm);
    CHECK(words(p) ==
          "Over its 200 µs (sampled every 2.00 µs): 20.0 µs until 90 % of its SMs are active, then "
          "180 µs with all 132 SMs and the DRAM at 80 %.");
}

TEST_CASE("the line says why nothing is concluded") {
    SyntheticProfile few;
    sampled(few, 20, 2).intervals(10, kCopying);
    CHECK(words(few) ==
          "Its 20.0 µs were sampled in 10 intervals of 2.00 µs: too few to distinguish phases.");
    SyntheticProfile missing = serialTail();
    missing.profile().overTime[0].counters.set("dram__bytes_read.sum", 3,
                                               std::numeric_limits<double>::quiet_NaN());
    CHECK(contains(words(missing), "counters are missing in some intervals"));
    SyntheticProfile other;
    sampled(other, 120, 2).intervals(40, kCopying);
    CHECK(
        words(other) ==
        "The sampled launch took 80.0 µs instead of 120 µs, so no conclusions are drawn from it.");
    for (const SyntheticProfile* p : {&few, &missing, &other}) {
        CHECK_FALSE(words(*p, test::kZh).empty());
        CHECK(contains(rendered(*p, ReportFormat::Markdown), words(*p)));
    }
}

TEST_CASE("every format shows what a kernel did over its time") {
    const SyntheticProfile p = serialTail();
    for (const ReportFormat format : {ReportFormat::Markdown, ReportFormat::Html})
        CHECK(contains(rendered(p, format), "then 60.0 µs with 1 of 132 SMs."));
    CHECK(contains(rendered(p, ReportFormat::Text, {.width = 300}), "then 60.0 µs with 1 of 132"));
    CHECK_FALSE(contains(rendered(p, ReportFormat::Markdown), "<svg"));
    CHECK_FALSE(contains(rendered(p, ReportFormat::Text), "<svg"));
    const std::string page = rendered(p, ReportFormat::Html);
    CHECK(count(page, "id=\"kernel-1-over-time-t\"") == 1);
    CHECK(contains(page, "tail: 60.0 µs"));
    CHECK(contains(page, "var(--plot-dram)"));
    CHECK_FALSE(contains(rendered(test::showcase(), ReportFormat::Html), "over-time"));
}

TEST_CASE("the picture of a kernel's time is an SVG of its own") {
    const ReportOptions options{.plot = ReportPlot::OverTime};
    const std::string svg = rendered(serialTail(), ReportFormat::Svg, options);
    CHECK(test::wellFormedXml(svg) == "");
    for (const char* text : {"Active SMs", "DRAM", "L2", "Issue slots", "tail: 60.0 µs",
                             "0 µs</text>", ">80</text>", "up to 80 %", "up to 6.00 TB/s"})
        CHECK(contains(svg, text));
    CHECK_FALSE(contains(svg, "Tensor cores"));
    CHECK_FALSE(contains(svg, "nan"));
    CHECK(contains(rendered(serialTail(), ReportFormat::Svg,
                            {.language = test::kZh, .plot = ReportPlot::OverTime}),
                   "发射槽"));
    const auto none = renderReport(test::analysisOf(test::showcase()), ReportFormat::Svg, options);
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == ErrorCode::Usage);
    CHECK(none.error().where == "--plot over-time");
}

TEST_CASE("the picture marks the stretches that the report names") {
    const auto marks = [](const SyntheticProfile& p) {
        const Analysis analysis = test::analysisOf(p);
        const plot::OverTimePlot picture = plot::layoutOverTime(analysis, 0);
        std::vector<plot::Rect> shaded;
        for (const plot::Shape& shape : picture.shapes.clipped)
            if (const auto* rect = std::get_if<plot::RectShape>(&shape);
                rect && rect->fill == plot::Role::Highlight)
                shaded.push_back(rect->rect);
        std::vector<std::pair<double, double>> shares;
        for (const plot::Rect& rect : shaded)
            shares.emplace_back((rect.x - picture.area.x) / picture.area.w,
                                (rect.x + rect.w - picture.area.x) / picture.area.w);
        return shares;
    };
    // Of 80 µs: first the last 60, then the first 20.
    const auto tail = marks(serialTail());
    REQUIRE(tail.size() == 1);
    CHECK(tail[0].first == Approx(0.25));
    CHECK(tail[0].second == Approx(1));
    const auto start = marks(slowStart());
    REQUIRE(start.size() == 1);
    CHECK(start[0].first == Approx(0).margin(1e-6));
    CHECK(start[0].second == Approx(0.25));
    // Phases cover the whole time: a bracket, and their means as lines in the rows.
    CHECK(marks(alternating()).empty());
    const ReportOptions options{.plot = ReportPlot::OverTime};
    const std::string svg = rendered(alternating(), ReportFormat::Svg, options);
    for (const char* text :
         {"alternating: 4 phases of moving data (40.0 µs), 4 of computing (80.0 µs)",
          "80 % in its 4 phases", "60 % in its 4 phases"})
        CHECK(contains(svg, text));
    CHECK(contains(rendered(slowStart(), ReportFormat::Svg, options), "slow start: 20.0 µs"));
    // Two marks whose texts do not fit next to each other are stacked.
    SyntheticProfile both;
    auto trace = sampled(both, 160, 1);
    for (int i = 0; i < 4; ++i) trace.intervals(10, kCopying).intervals(20, kComputing);
    trace.intervals(40, kOneSm);
    const Analysis analysis = test::analysisOf(both);
    REQUIRE(analysis.kernels[0].overTime->phases);
    REQUIRE(analysis.kernels[0].overTime->tail);
    std::vector<double> heights;
    const plot::OverTimePlot narrow = plot::layoutOverTime(analysis, 0, {.width = 480});
    for (const plot::Shape& shape : narrow.shapes.free)
        if (const auto* text = std::get_if<plot::TextShape>(&shape);
            text && text->role == plot::Role::Highlight)
            heights.push_back(text->at.y);
    REQUIRE(heights.size() == 2);
    CHECK(std::abs(heights[0] - heights[1]) > 15);
}

TEST_CASE("each phase is a bar below the rows, on the line of its kind") {
    const auto bars = [](const plot::OverTimePlot& picture) {
        std::map<plot::Role, std::vector<plot::Rect>> found;
        for (const plot::Shape& shape : picture.shapes.clipped)
            if (const auto* rect = std::get_if<plot::RectShape>(&shape);
                rect && (rect->fill == plot::Role::Dram || rect->fill == plot::Role::L1))
                found[rect->fill].push_back(rect->rect);
        return found;
    };
    const Analysis analysis = test::analysisOf(alternating());
    const Analysis none = test::analysisOf(serialTail());
    // 0 is the default height; pages use others, wide and flat.
    for (const double height : {0.0, 600.0, 90.0}) {
        const plot::OverTimePlot picture = plot::layoutOverTime(analysis, 0, {.height = height});
        auto found = bars(picture);
        REQUIRE(found[plot::Role::Dram].size() == 4);
        REQUIRE(found[plot::Role::L1].size() == 4);
        const auto share = [&](double x) { return (x - picture.area.x) / picture.area.w; };
        for (std::size_t i = 0; i < 4; ++i) {
            const plot::Rect& moving = found[plot::Role::Dram][i];
            const plot::Rect& computing = found[plot::Role::L1][i];
            CHECK(share(moving.x) == Approx(static_cast<double>(i) / 4).margin(1e-6));
            CHECK(share(moving.x + moving.w) == Approx((static_cast<double>(i) + 1.0 / 3) / 4));
            CHECK(computing.x == Approx(moving.x + moving.w));
            CHECK(share(computing.x + computing.w) == Approx((static_cast<double>(i) + 1) / 4));
            CHECK(computing.y >= moving.y + moving.h);  // told apart without colours
            CHECK(computing.y + computing.h <= picture.area.y + picture.area.h);
        }
        std::size_t names = 0;
        for (const plot::Shape& shape : picture.shapes.free)
            if (const auto* text = std::get_if<plot::TextShape>(&shape))
                names += text->text == "moving data" || text->text == "computing" ? 1 : 0;
        CHECK(names == 2);
        CHECK(bars(plot::layoutOverTime(none, 0, {.height = height})).empty());
    }
    const plot::OverTimePlot chinese = plot::layoutOverTime(analysis, 0, {.language = test::kZh});
    CHECK(std::ranges::any_of(chinese.shapes.free, [](const plot::Shape& shape) {
        const auto* text = std::get_if<plot::TextShape>(&shape);
        return text && text->text == "搬运数据";
    }));
    // More phases than pixels are merged to what is visible.
    SyntheticProfile many;
    auto trace = sampled(many, 20000, 1);
    for (int i = 0; i < 2000; ++i) trace.intervals(5, kCopying).intervals(5, kComputing);
    const Analysis long_ = test::analysisOf(many);
    REQUIRE(long_.kernels[0].overTime->phases->list.size() == 4000);
    CHECK(bars(plot::layoutOverTime(long_, 0))[plot::Role::Dram].size() < 500);
}

TEST_CASE("the numbers of one interval say where it lies and what is missing") {
    SyntheticProfile p = serialTail();
    p.profile().overTime[0].counters.set("dram__bytes_read.sum", 30,
                                         std::numeric_limits<double>::quiet_NaN());
    const auto numbers = [](const SyntheticProfile& of, std::size_t interval, Language language) {
        const Analysis analysis = test::analysisOf(of);
        return plot::overTimeNumbers(*analysis.kernels[0].overTime, interval, language);
    };
    CHECK(numbers(serialTail(), 0, Language::En) ==
          "0 s to 2.00 µs\nActive SMs: 100 %\nDRAM: 80 %\nL2: 6.00 TB/s\nIssue slots: 6 %");
    CHECK(contains(numbers(serialTail(), 30, Language::En), "60.0 µs to 62.0 µs (tail: 60.0 µs)"));
    CHECK(contains(numbers(alternating(), 45, Language::En),
                   "45.0 µs to 46.0 µs (phase 4 of 8: computing, 40.0 µs to 60.0 µs)\n"));
    CHECK(contains(numbers(alternating(), 30, test::kZh),
                   "30.0 µs 至 31.0 µs（第 3 阶段，共 8 个：搬运数据，30.0 µs 至 40.0 µs）"));
    CHECK(contains(numbers(p, 30, Language::En), "DRAM: –"));
    CHECK(contains(numbers(serialTail(), 30, test::kZh), "活动的 SM: 0.76 %"));
}

TEST_CASE("a missing value is a gap in the picture") {
    const auto areas = [](const SyntheticProfile& p) {
        const Analysis analysis = test::analysisOf(p);
        std::size_t polygons = 0;
        for (const plot::Shape& shape : plot::layoutOverTime(analysis, 0).shapes.clipped)
            polygons += std::holds_alternative<plot::PolygonShape>(shape) ? 1 : 0;
        return polygons;
    };
    SyntheticProfile p = serialTail();
    CHECK(areas(p) == 4);  // SMs, DRAM, L2 and issue slots
    p.profile().overTime[0].counters.set("dram__bytes_read.sum", 7,
                                         std::numeric_limits<double>::quiet_NaN());
    CHECK(areas(p) == 5);
}

TEST_CASE("a long curve is drawn with as many columns as can be seen") {
    SyntheticProfile p;
    sampled(p, 10000, 1).intervals(10000, kCopying);
    const std::string svg = rendered(p, ReportFormat::Svg, {.plot = ReportPlot::OverTime});
    CHECK(svg.size() < 60'000);
    CHECK(contains(svg, " ms</text>"));
}

TEST_CASE("JSON has the curve and what is certain about it") {
    using nlohmann::json;
    const auto objectOf = [](const SyntheticProfile& p) {
        return json::parse(rendered(p, ReportFormat::Json))["kernels"][0]["over_time"];
    };
    const json tail = objectOf(serialTail());
    CHECK(tail["launch"] == 0);
    CHECK(tail["intervals"] == 40);
    CHECK(tail["interval_ns"] == 2000);
    CHECK(tail["duration_ns"] == 80000);
    CHECK(tail["lack"].is_null());
    CHECK(tail["steady"]["to_ns"] == 20000);
    CHECK(tail["steady"]["mean"]["dram_ratio"] == 0.8);
    CHECK(tail["tail"]["length_ns"] == 60000);
    CHECK(tail["tail"]["lost_ns"] == 57561);  // 58 µs × 131 / 132
    CHECK(tail["phases"].is_null());
    REQUIRE(tail["curve"]["end_ns"].size() == 40);
    CHECK(tail["curve"]["end_ns"][39] == 80000);
    CHECK(tail["curve"]["sm_active_ratio"][0] == 1);
    CHECK(tail["curve"]["sm_active_ratio"][39] == 0.00757576);
    CHECK(tail["curve"]["l2_bytes_per_s"][0] == 6e12);

    const json turns = objectOf(alternating())["phases"];
    CHECK(turns["changes"] == 7);
    REQUIRE(turns["list"].size() == 8);
    CHECK(turns["list"][0] == json{{"kind", "memory"}, {"from_ns", 0.0}, {"to_ns", 10000.0}});
    CHECK(turns["list"][7] ==
          json{{"kind", "compute"}, {"from_ns", 100000.0}, {"to_ns", 120000.0}});
    CHECK(turns["memory"]["count"] == 4);
    CHECK(turns["memory"]["total_ns"] == 40000);
    CHECK(turns["compute"]["mean"]["issue_ratio"] == 0.6);

    SyntheticProfile missing = serialTail();
    missing.profile().overTime[0].counters.set("dram__bytes_read.sum", 3,
                                               std::numeric_limits<double>::quiet_NaN());
    const json gap = objectOf(missing);
    CHECK(gap["lack"] == "counters");
    CHECK(gap["tail"].is_null());
    CHECK(gap["steady"].is_null());
    CHECK(gap["curve"]["dram_ratio"][3].is_null());
    CHECK(gap["curve"]["dram_ratio"][4] == 0.8);
}

TEST_CASE("the next recording samples what this one sampled") {
    const std::string all = rendered(serialTail(), ReportFormat::Markdown);
    CHECK(contains(all, " --over-time "));
    CHECK_FALSE(contains(rendered(test::showcase(), ReportFormat::Markdown), "--over-time"));
}
