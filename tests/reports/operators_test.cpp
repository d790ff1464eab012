// SPDX-License-Identifier: Apache-2.0
// The table of operators, and how their FLOPs compare with the roofs, in reports and JSON.
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using Catch::Matchers::Contains;
using roofscope::test::SyntheticProgram;

namespace {

/// Six steps of a product of 1,000 us and an addition, on a GPU of 1.081 PFLOP/s in bf16.
Analysis steps(const std::string& sizes, double addition = 500) {
    constexpr const char* kGemm = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT";
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i)
        p.push("step").launch(kGemm, 1000).launch("add", addition).sync().pop();
    Profile profile = p.build();
    Device& gpu = profile.devices[0];
    gpu.chip = "GH100";
    gpu.computeMajor = 9;
    gpu.computeMinor = 0;
    gpu.smCount = 132;
    gpu.smClockMax = Hertz{2e9};
    profile.callSites.push_back({.kernel = 0,
                                 .file = "/a/train.py",
                                 .line = 7,
                                 .op = "aten::mm",
                                 .sizes = sizes,
                                 .count = 6});
    profile.callSites.push_back({.kernel = 1,
                                 .file = "/a/train.py",
                                 .line = 8,
                                 .op = "aten::add",
                                 .sizes = "[8]",
                                 .count = 6});
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

std::string markdown(const Analysis& analysis, bool essentials) {
    ReportOptions options;
    options.profilePath = "p.roofscope.json";
    options.top = 10;
    options.essentials = essentials;
    return renderReport(analysis, ReportFormat::Markdown, options).value();
}

constexpr const char* kSizes = "[8192, 4096], [4096, 8192]";  // 549.8 GFLOP

}  // namespace

TEST_CASE("a full report has a table of operators") {
    const std::string text = markdown(steps(kSizes), false);
    CHECK_THAT(text, Contains("## Operators"));
    CHECK_THAT(text,
               Contains("| `aten::mm [8192, 4096], [4096, 8192]` | `train.py:7` | 1 | 1.00 ms "
                        "| 550 GFLOP | 550 TFLOP/s |"));
    CHECK_THAT(text, Contains("| `aten::add [8]` | `train.py:8` | 1 | 500 µs | – | – |"));
    CHECK_THAT(text, Contains("of the BF16 tensor roof (1.08 PFLOP/s, theoretical)"));
    CHECK_THAT(text, !Contains("By counters"));  // nothing was counted
}

TEST_CASE("the short report has one sentence where products take much of the program") {
    const std::string text = markdown(steps(kSizes), true);
    CHECK_THAT(text, !Contains("## Operators"));
    CHECK_THAT(text, Contains("By the sizes of its operators, the window reaches"));
    CHECK_THAT(markdown(steps(kSizes, 4000), true), !Contains("By the sizes of its operators"));
}

TEST_CASE("FLOPs that no GPU does in that time are not said") {
    for (const std::string& sizes :
         {std::string("[8192, 409600], [409600, 8192]"),
          std::string("[18446744073709551615, 18446744073709551615], [18446744073709551615, "
                      "18446744073709551615]")}) {
        const std::string text = markdown(steps(sizes), false);
        CHECK_THAT(text, Contains("| 1 | 1.00 ms | sizes not known | – |"));
        CHECK_THAT(text, !Contains("FLOP/s |"));
        CHECK_THAT(text, !Contains("By the sizes of its operators"));
    }
}

TEST_CASE("without sizes there are no FLOPs, and no share of a roof") {
    const std::string text = markdown(steps(""), false);
    CHECK_THAT(text, Contains("| `aten::mm` | `train.py:7` | 1 | 1.00 ms | sizes not known | – |"));
    CHECK_THAT(text, !Contains("By the sizes of its operators"));
}

TEST_CASE("JSON has the operators with what is not known as null") {
    const auto json = nlohmann::json::parse(
        renderReport(steps(kSizes), ReportFormat::Json, {.profilePath = "p"}).value());
    const auto& operators = json.at("program").at("operators");
    const auto& row = operators.at("rows").at(0);
    CHECK(row.at("operator") == "aten::mm");
    CHECK(row.at("place") == "train.py:7");
    CHECK(row.at("least_flops") == 2.0 * 8192 * 4096 * 8192);
    CHECK(row.at("most_flops") == row.at("least_flops"));
    CHECK(row.at("no_flops").is_null());
    CHECK(row.at("pipe") == "BF16 tensor");
    CHECK(row.at("dram_bytes").is_null());
    const auto& other = operators.at("rows").at(1);
    CHECK(other.at("least_flops").is_null());
    CHECK(other.at("no_flops") == "no-product");
    const auto& flops = operators.at("flops");
    CHECK(flops.at("known_share") == 1.0);
    CHECK(flops.at("pipes").at(0).at("measured") == false);
    CHECK(flops.at("pipes").at(0).at("in_use_share").is_null());
    const double window = json.at("program").at("window").at("seconds");
    CHECK(flops.at("most_share").get<double>() ==
          Approx(2.0 * 8192 * 4096 * 8192 / (132.0 * 4096 * 2e9) / window));
    const auto none = nlohmann::json::parse(
        renderReport(steps(""), ReportFormat::Json, {.profilePath = "p"}).value());
    CHECK(none.at("program").at("operators").at("flops").is_null());
    CHECK(none.at("program").at("operators").at("rows").at(0).at("least_flops").is_null());
}
