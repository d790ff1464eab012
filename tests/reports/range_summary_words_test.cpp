// SPDX-License-Identifier: Apache-2.0
// The summary of NVTX ranges in reports.
#include "reports/ranges/range_summary_words.h"

#include <fstream>
#include <memory>
#include <string>

#include "reports/document/markdown_writer.h"
#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using nlohmann::json;
using test::SyntheticProgram;

namespace {

/// Two ranges: one over 4 occurrences, 3 of them with work; one without work on the GPU.
std::vector<RangeSummary> twoRanges() {
    return {{.range = 1,
             .count = 4,
             .total = {10e-3},
             .shortest = {1e-3},
             .median = {2e-3},
             .longest = {5e-3},
             .longestAt = {7'000'000, 12'000'000},
             .onGpu = 3,
             .gpu = {6e-3},
             .idle = {2e-3}},
            {.range = 0,
             .count = 1,
             .total = {1e-3},
             .shortest = {1e-3},
             .median = {1e-3},
             .longest = {1e-3}}};
}

Profile namesOfTwo() {
    Profile profile;
    profile.ranges = {"quiet", "step"};
    return profile;
}

/// Six steps of 64 MB to the GPU and a kernel, with a range for each.
Analysis sixSteps() {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.launch("gemm", 500).sync();
        p.pop();
    }
    return analyze(std::make_shared<const Profile>(p.build()));
}

}  // namespace

TEST_CASE("the summary of ranges is a table, with dashes for those without work on the GPU") {
    const std::string text = doc::toMarkdown(
        {.title = {}, .nodes = rangeSummaryNodes(namesOfTwo(), twoRanges(), Language::En)});
    CAPTURE(text);
    // 10 ms in 4 occurrences; idle for 2 of 8 ms.
    CHECK(text.find("| `step` | 4 | 10.0 ms | 2.50 ms | 5.00 ms | 6.00 ms | 2.00 ms | 25 % |") !=
          text.npos);
    CHECK(text.find("| `quiet` | 1 | 1.00 ms | 1.00 ms | 1.00 ms | – | – | – |") != text.npos);
    const std::string one = doc::toMarkdown(
        {.title = {}, .nodes = rangeSummaryNodes(namesOfTwo(), twoRanges(), Language::En, 1)});
    CHECK(one.find("quiet") == one.npos);
    CHECK(one.find("1 more range") != one.npos);
    CHECK(rangeSummaryNodes(namesOfTwo(), {}, Language::En).empty());
}

TEST_CASE("the summary of ranges in JSON has null where there was no work on the GPU") {
    const json object = rangeSummaryObject(namesOfTwo(), twoRanges(), 5);
    CHECK(object["count"] == 2);
    const json& step = object["list"][0];
    CHECK(step["name"] == "step");
    CHECK(step["occurrences"] == 4);
    CHECK(step["mean_ns"].get<double>() == Approx(2.5e6));
    CHECK(step["max_start_ns"] == 7'000'000);
    CHECK(step["occurrences_with_gpu_work"] == 3);
    CHECK(step["gpu_idle_ns"].get<double>() == Approx(2e6));
    CHECK(object["list"][1]["gpu_busy_ns"].is_null());
    const json cut = rangeSummaryObject(namesOfTwo(), twoRanges(), 1);
    CHECK(cut["count"] == 2);
    CHECK(cut["list"].size() == 1);
    CHECK(rangeSummaryObject(namesOfTwo(), {}).is_null());
}

TEST_CASE("the summary of ranges is in whole reports and in JSON, not in essentials") {
    const Analysis analysis = sixSteps();
    const auto has = [&](const ReportOptions& options) {
        const auto text = renderReport(analysis, ReportFormat::Markdown, options);
        REQUIRE(text.ok());
        return text->find("## NVTX ranges") != std::string::npos;
    };
    CHECK_FALSE(has({.top = 10, .essentials = true}));
    CHECK(has({.top = 10}));
    CHECK_FALSE(has({.kernelFilter = "gemm"}));
    const auto text = renderReport(analysis, ReportFormat::Json, {});
    REQUIRE(text.ok());
    const json root = json::parse(*text);
    REQUIRE(root.contains("nvtx_ranges"));
    CHECK(root["nvtx_ranges"]["list"][0]["occurrences"] == 6);
    // The kernel alone: the GPU is never idle from its start to its end.
    CHECK(root["nvtx_ranges"]["list"][0]["gpu_busy_ns"].get<double>() == Approx(6 * 500e3));
    std::ifstream in(std::string(ROOFSCOPE_SOURCE_DIR) + "/reports/schema/report-1.schema.json");
    const json schema = json::parse(in);
    CHECK(test::SchemaChecker(schema).check(root, schema) == "");
}
