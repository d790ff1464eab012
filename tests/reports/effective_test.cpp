// SPDX-License-Identifier: Apache-2.0
// Bandwidth from declared bytes in reports.
#include <nlohmann/json.hpp>

#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/text.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

using test::contains;

/// 4 GB in 2 ms on a GPU whose copies reach 4 TB/s.
SyntheticProfile declared(bool counted) {
    SyntheticProfile p;
    p.profile().capture.strategy = counted ? "kernel" : "timing";
    p.profile().devices[0].ceilings.push_back(
        {.name = "dram_copy", .kind = Ceiling::Kind::Bandwidth, .burst = 4e12, .method = ""});
    auto launch = p.launch(p.kernel("copy"), {1320, 1, 1}, {256, 1, 1}).durationUs(2000);
    launch.launch().declaredBytes = 4'000'000'000;
    if (counted) launch.set("dram__bytes_read.sum", 1e9).set("dram__bytes_write.sum", 1e9);
    return p;
}

std::string render(const SyntheticProfile& p, ReportFormat format, Language language) {
    ReportOptions options;
    options.language = language;
    return renderReport(analysisOf(p), format, options).value();
}

}  // namespace

TEST_CASE("without counters reports have the bandwidth of declared bytes, and call it that") {
    const std::string sentence =
        "Effective bandwidth from declared bytes (not measured): 2.00 TB/s, 50 % of the rate of a "
        "DRAM copy on this GPU.";
    CHECK(contains(render(declared(false), ReportFormat::Markdown, Language::En), sentence));
    CHECK(contains(render(declared(false), ReportFormat::Html, Language::En), sentence));
    CHECK(contains(render(declared(false), ReportFormat::Text, Language::En),
                   "Effective bandwidth from declared bytes (not measured): 2.00 TB/s"));
    CHECK(contains(render(declared(false), ReportFormat::Markdown, test::kZh), "声明字节数"));
    CHECK(contains(render(declared(false), ReportFormat::Markdown, test::kZh), "2.00 TB/s"));
}

TEST_CASE("where the DRAM was measured the declared bandwidth is not shown beside it") {
    for (const ReportFormat format : {ReportFormat::Markdown, ReportFormat::Text})
        CHECK_FALSE(contains(render(declared(true), format, Language::En), "declared bytes"));
}

TEST_CASE("JSON has the declared bandwidth under a name of its own") {
    const auto json =
        nlohmann::json::parse(render(declared(false), ReportFormat::Json, Language::En));
    const auto& q = json["kernels"][0]["quantities"];
    CHECK(q["declared_bytes"] == 4e9);
    CHECK(q["effective_bytes_per_s"].get<double>() == Approx(2e12));
    CHECK(q["effective_ratio"].get<double>() == Approx(0.5));
    CHECK(q["dram_bytes_per_s"].is_null());
}
