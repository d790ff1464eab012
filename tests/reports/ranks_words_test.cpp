// SPDX-License-Identifier: Apache-2.0
#include "reports/ranges/ranks_words.h"

#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/synthetic_profile.h"
#include "tests/support/text.h"

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

std::string renderRanks(const Profile& profile, ReportFormat format) {
    return renderReport(analyze(std::make_shared<Profile>(profile)), format).value();
}

using test::has;

}  // namespace

TEST_CASE("reports name the slowest rank where ranks are uneven, and nothing where they are not") {
    const Profile uneven = ranksOf({100, 100, 150}), even = ranksOf({100, 101, 100});
    for (const ReportFormat format :
         {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Html}) {
        CHECK(has(renderRanks(uneven, format), "rank 2 is the slowest, 1.50× the median"));
        CHECK_FALSE(has(renderRanks(even, format), "the slowest, "));
    }
    const auto json = nlohmann::json::parse(renderRanks(uneven, ReportFormat::Json)).at("ranks");
    CHECK(json.at("count") == 3);
    CHECK(json.at("total").at("material") == true);
    CHECK(json.at("kernels").at(0).at("max").at("rank") == 2);
    CHECK(json.at("kernels").at(0).at("max").at("host") == "gpu2");
    CHECK(json.at("kernels").at(0).at("max_over_median").get<double>() == Approx(1.5));
    // With two ranks the median says little, so the report names both and their ratio.
    CHECK(has(renderRanks(ranksOf({2, 36}), ReportFormat::Markdown),
              "rank 1 takes 18.00 times as long as rank 0 (on `gpu1`)"));
    CHECK(nlohmann::json::parse(renderRanks(even, ReportFormat::Json))
              .at("ranks")
              .at("kernels")
              .empty());
    CHECK_FALSE(
        nlohmann::json::parse(renderRanks(ranksOf({100}), ReportFormat::Json)).contains("ranks"));
}

TEST_CASE("reports tell launches beside kernels that wait for other ranks from slow ranks") {
    test::SyntheticProfile p;
    p.profile().processes = {{.pid = 1, .rank = 0}, {.pid = 2, .rank = 1}};
    const auto step = p.kernel("step()"), wait = p.kernel("ncclDevKernel_AllGather_RING_LL");
    const auto add = [&](std::uint32_t kernel, std::uint32_t rank, double start, double duration) {
        auto launch = p.launch(kernel, {1, 1, 1}, {32, 1, 1}).durationUs(duration);
        launch.launch().process = rank;
        launch.launch().start = Seconds{start * 1e-6};
    };
    for (const std::uint32_t rank : {0U, 1U})
        for (int i = 0; i < 4; ++i) add(step, rank, 1000.0 * i, rank == 1 && i > 1 ? 200 : 100);
    add(wait, 0, 4000, 10);
    add(wait, 1, 1990, 2000);
    for (const ReportFormat format :
         {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Html}) {
        const std::string text = renderRanks(p.build(), format);
        CHECK(has(text,
                  "rank 1 runs 2 of 4 launches beside kernels that wait for other ranks (NCCL, "
                  "NVSHMEM), 400 µs of its 600 µs; rank 0 runs 0 of 4, 0 s of 400 µs. Kernels can "
                  "take longer there, so only launches that run alone in every rank are compared; "
                  "in those each kernel takes equally long in all ranks"));
        CHECK_FALSE(has(text, "times as long"));
    }
    const auto chinese = renderReport(analyze(std::make_shared<Profile>(p.build())),
                                      ReportFormat::Markdown, {.language = test::kZh})
                             .value();
    CHECK(has(chinese,
              "rank 1 有 2 次启动（共 4 次）与等待其他 rank 的内核（NCCL、NVSHMEM）同时"
              "运行，用时 400 µs（共 600 µs）"));
    const auto ranks =
        nlohmann::json::parse(renderRanks(p.build(), ReportFormat::Json)).at("ranks").at("total");
    CHECK(ranks.at("material") == false);
    const auto& second = ranks.at("ranks").at(1);
    CHECK(second.at("time_ns").get<double>() == Approx(200e3));
    CHECK(second.at("launches") == 2);
    CHECK(second.at("all_launches") == 4);
    CHECK(second.at("all_ns").get<double>() == Approx(600e3));
    CHECK(second.at("beside_launches") == 2);
    CHECK(second.at("beside_ns").get<double>() == Approx(400e3));

    // Slow even without overlap: reported, with the number of launches.
    for (int i = 4; i < 6; ++i) p.profile().launches[i].duration = Seconds{150e-6};
    const std::string slow = renderRanks(p.build(), ReportFormat::Text);
    CHECK(has(slow,
              "step: 2 ranks spend 200 µs and 300 µs; rank 1 takes 1.50 "
              "times as long as rank 0, in the 2 of 4 launches that run alone in every rank"));
    CHECK_FALSE(has(slow, "takes equally long"));
    // Unknown is null, not 0.
    for (Launch& launch : p.profile().launches) launch.start.reset();
    CHECK(nlohmann::json::parse(renderRanks(p.build(), ReportFormat::Json))
              .at(nlohmann::json::json_pointer("/ranks/total/ranks/1/beside_launches"))
              .is_null());
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
    const auto sentences = rankSentences(p.build(), Language::En, 5);
    REQUIRE(sentences.size() == 7);
    CHECK(sentences.back().plain() == "15 more kernels are uneven");
}
