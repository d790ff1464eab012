// SPDX-License-Identifier: Apache-2.0
#include "reports/ranges/range_words.h"

#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_profile.h"
#include "tests/support/text.h"

using namespace roofscope;

namespace {

/// A range that occurs twice, the first time with counters; one launch.
Profile ranges(const std::string& path, bool counted = true) {
    test::SyntheticProfile p;
    p.launch(p.kernel("k()"), {1, 1, 1}, {32, 1, 1}).counterDurationUs(10);
    Profile& profile = p.profile();
    profile.ranges = {path};
    for (std::uint32_t i = 0; i < 2; ++i)
        profile.rangeMeasurements.push_back(
            {.ordinal = i, .launches = 7, .duration = Seconds{1e-3}});
    profile.rangeCounters.resize(2);
    if (counted) {
        profile.rangeCounters.set("gpu__time_duration.sum", 0, 1e6);
        profile.rangeCounters.set("dram__bytes_read.sum", 0, 2e9);
        profile.rangeCounters.set("dram__bytes_write.sum", 0, 0);
    }
    return p.build();
}

std::string render(const Profile& profile, ReportFormat format, Language language = Language::En) {
    return renderReport(analyze(std::make_shared<Profile>(profile)), format, {.language = language})
        .value();
}

using test::has;

}  // namespace

TEST_CASE("reports say what whole ranges did, and a dash where nothing was measured") {
    const Profile profile = ranges("decode > layer");
    for (const ReportFormat format :
         {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Html}) {
        const std::string text = render(profile, format);
        CHECK(
            has(text,
                "2 occurrences (1 with counters) of 7 launches, mean 1.00 ms in the timing run for "
                "those with counters (median of all 1.00 ms)"));
        CHECK(has(text, "DRAM 2.00 GB at 2.00 TB/s (–), L2 – (–), FP32 –, FP64 –, tensor pipe –"));
    }
    CHECK(has(render(profile, ReportFormat::Markdown, test::kZh), "张量流水线 –"));
    CHECK(has(render(profile, ReportFormat::Markdown, test::kZh),
              "平均 1.00 ms（计时运行），仅计有计数器的（连同其余各次的中位数为 1.00 ms）"));
    CHECK(has(render(ranges("a", false), ReportFormat::Text), "in the timing run; no counters"));
    const auto json = nlohmann::json::parse(render(profile, ReportFormat::Json)).at("ranges").at(0);
    CHECK(json.at("name") == "decode > layer");
    CHECK(json.at("occurrences") == 2);
    CHECK(json.at("counted") == 1);
    CHECK(json.at("quantities").at("dram_bytes").get<double>() == Approx(2e9));
    CHECK(json.at("quantities").at("tensor_pipe_utilisation_ratio").is_null());
    CHECK(json.at("missing").contains("tensor_pipe_utilisation_ratio"));
    CHECK_FALSE(json.at("quantities").contains("waves"));  // has no meaning for a range
}

TEST_CASE("reports say how busy a range keeps the GPU, and what the numbers leave out") {
    Profile profile = ranges("decode");
    for (std::uint32_t i = 0; i < 2; ++i) {
        profile.rangeMeasurements[i].busy = Seconds{0.95e-3};
        profile.rangeCounters.set("gpu__time_duration.sum", i, 1e6);
    }
    profile.rangeMeasurements.push_back(
        {.ordinal = 2, .launches = 7, .duration = Seconds{50e-3}, .busy = Seconds{1e-3}});
    profile.rangeCounters.resize(3);
    profile.rangeCounters.set("gpu__time_duration.sum", 2, 60e6);
    const std::string text = render(profile, ReportFormat::Text);
    CHECK(has(text, "mean 1.00 ms in the timing run, kernels run 95 % of that time; DRAM"));
    CHECK(has(text, "tensor pipe –; 1 outlier of more than twice the median is excluded"));
    profile.rangeMeasurements[0].busy = Seconds{0.2e-3};
    CHECK(has(render(profile, ReportFormat::Text), "57.5 % of that time (tracing the launches"));
    const auto json = nlohmann::json::parse(render(profile, ReportFormat::Json)).at("ranges").at(0);
    CHECK(json.at("slow") == 1);
    CHECK(json.at("busy_ratio").get<double>() == Approx(0.575));
    CHECK(json.at("duration").at("mean_ns").get<double>() == Approx(1e6));
    CHECK(json.at("duration").at("mean_occurrences") == 2);
}

TEST_CASE("a profile without measured ranges has no section for them") {
    test::SyntheticProfile p;
    p.launch(p.kernel("k()"), {1, 1, 1}, {32, 1, 1}).counterDurationUs(10);
    CHECK_FALSE(has(render(p.build(), ReportFormat::Markdown), "## Ranges"));
    CHECK_FALSE(has(render(p.build(), ReportFormat::Html), "id=\"ranges\""));
    CHECK_FALSE(nlohmann::json::parse(render(p.build(), ReportFormat::Json)).contains("ranges"));
}

TEST_CASE("names of ranges are data") {
    const Profile profile = ranges("</script><b>`|\n# x");
    CHECK_FALSE(has(render(profile, ReportFormat::Html), "</script><b>"));
    CHECK_FALSE(render(profile, ReportFormat::Markdown).find("\n# x") != std::string::npos);
}
