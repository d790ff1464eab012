// SPDX-License-Identifier: Apache-2.0
#include "reports/ranks_words.h"

#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;

namespace {

Profile ranksOf(std::vector<double> microseconds) {
    test::SyntheticProfile p;
    p.profile().processes.clear();
    const auto kernel = p.kernel("step<`|\n>(float*)");
    for (std::uint32_t rank = 0; rank < microseconds.size(); ++rank) {
        p.profile().processes.push_back(
            {.pid = rank, .host = "gpu" + std::to_string(rank), .rank = rank});
        auto launch = p.launch(kernel, {1, 1, 1}, {32, 1, 1});
        launch.counterDurationUs(microseconds[rank]);
        launch.launch().process = rank;
    }
    return p.build();
}

std::string render(const Profile& profile, ReportFormat format) {
    return renderReport(analyze(std::make_shared<Profile>(profile)), format).value();
}

/// Text is wrapped: a line break counts as a space.
bool has(const std::string& text, const std::string& part) {
    std::string flat;
    for (const char c : text)
        if (const bool space = c == ' ' || c == '\n';
            !space || (!flat.empty() && flat.back() != ' '))
            flat += space ? ' ' : c;
    return flat.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("reports name the slowest rank where ranks are uneven, and nothing where they are not") {
    const Profile uneven = ranksOf({100, 100, 150}), even = ranksOf({100, 101, 100});
    for (const ReportFormat format :
         {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Html}) {
        CHECK(has(render(uneven, format), "rank 2 is the slowest, 1.50× the median"));
        CHECK_FALSE(has(render(even, format), "the slowest, "));
    }
    const auto json = nlohmann::json::parse(render(uneven, ReportFormat::Json)).at("ranks");
    CHECK(json.at("count") == 3);
    CHECK(json.at("total").at("material") == true);
    CHECK(json.at("kernels").at(0).at("max").at("rank") == 2);
    CHECK(json.at("kernels").at(0).at("max").at("host") == "gpu2");
    CHECK(json.at("kernels").at(0).at("max_over_median").get<double>() == Approx(1.5));
    // The median of two says nothing: who, and how much longer than the other.
    CHECK(has(render(ranksOf({2, 36}), ReportFormat::Markdown),
              "compared with rank 0, it takes 18.00 times as long in rank 1 (on `gpu1`)"));
    CHECK(
        nlohmann::json::parse(render(even, ReportFormat::Json)).at("ranks").at("kernels").empty());
    CHECK_FALSE(
        nlohmann::json::parse(render(ranksOf({100}), ReportFormat::Json)).contains("ranks"));
}

TEST_CASE("sentences on ranks are few") {
    test::SyntheticProfile p;
    p.profile().processes = {{.pid = 1, .rank = 0}, {.pid = 2, .rank = 1}};
    for (int k = 0; k < 20; ++k) {
        const auto kernel = p.kernel("k" + std::to_string(k));
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            auto launch = p.launch(kernel, {1, 1, 1}, {32, 1, 1});
            launch.counterDurationUs(100 + 100.0 * rank);
            launch.launch().process = rank;
        }
    }
    const auto plain = [](const std::string& name) { return name; };
    const auto sentences = rankSentences(p.build(), plain, englishWording(), 5);
    REQUIRE(sentences.size() == 7);
    CHECK(sentences.back() == "15 more kernels are uneven");
}
