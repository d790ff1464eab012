// SPDX-License-Identifier: Apache-2.0
// Shares of time add up in all reports of a file, whatever was recorded of each process.
#include "tests/support/share_sums.h"

#include <memory>
#include <random>

#include "profile/operations/merge.h"
#include "reports/report.h"
#include "tests/support/samples.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

void checkShares(const Analysis& analysis) {
    const auto json = renderReport(analysis, ReportFormat::Json, {});
    REQUIRE(json.ok());
    const auto report = nlohmann::json::parse(*json);
    CHECK(test::sharesProblem(report) == "");
    const auto text = renderReport(analysis, ReportFormat::Markdown, {});
    REQUIRE(text.ok());
    CHECK(test::percentsInText(*text).has_value() == !report["program"]["shares"].is_null());
    CHECK(test::percentsProblem(*text) == "");
}

/// A rank with some time in each class, of which not everything was recorded.
Profile rankWith(std::uint32_t rank, std::mt19937& random) {
    const auto upTo = [&](unsigned most) {
        return std::uniform_int_distribution<unsigned>(0, most)(random);
    };
    SyntheticProgram p;
    for (unsigned step = 0; step < 6; ++step) {
        p.push("step");
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 1e6, 50 + upTo(300), upTo(50));
        p.call("cudaMalloc", CallKind::Allocate, upTo(200));
        p.call("cuModuleLoad", CallKind::Load, upTo(200)).work(upTo(600));
        for (unsigned n = upTo(20); n > 0; --n)
            p.launch(upTo(2) ? "a" : "ncclDevKernel_AllReduce", upTo(100));
        p.launch("last", 5).sync().pop();
    }
    const auto lost = [&] { return upTo(3) == 0; };
    TimelineParts& parts = p.recorded();
    for (const auto& [name, part] : kTimelineParts)
        if (lost()) parts.*part = false;
    Profile profile = p.build();
    Process& process = profile.processes[0];
    process.rank = rank;
    process.worldSize = 3;
    process.host = "node" + std::to_string(rank);
    if (lost()) ++process.launchesSeen;
    if (lost()) {
        process.timeline.reset();
        profile.timeline = {};
    }
    return profile;
}

}  // namespace

TEST_CASE("shares of any program add up to one, in JSON and in words") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::vector<MergeInput> ranks;
        for (std::uint32_t rank = 0; rank < 3; ++rank)
            ranks.push_back({rankWith(rank, random), "rank" + std::to_string(rank)});
        checkShares(analyze(std::make_shared<const Profile>(ranks[0].profile)));
        auto merged = mergeProfiles(std::move(ranks));
        REQUIRE(merged);
        checkShares(analyze(std::make_shared<const Profile>(std::move(*merged))));
    }
}

TEST_CASE("shares of every recording add up to one") {
    for (const std::string& path : test::allRecordings()) {
        CAPTURE(path);
        checkShares(test::analysisIn(path));
    }
}

TEST_CASE("what one process of several lacks is unknown, not gone") {
    std::vector<MergeInput> ranks;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        SyntheticProgram p;
        for (int i = 0; i < 6; ++i)
            p.push("step")
                .copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 4000)
                .launch("k", 500)
                .sync()
                .pop();
        Profile profile = p.build();
        profile.processes[0].rank = rank;
        profile.processes[0].worldSize = 2;
        profile.processes[0].host = "node" + std::to_string(rank);
        if (rank == 1) ++profile.processes[0].launchesSeen;  // one launch was lost
        ranks.push_back({std::move(profile), "rank"});
    }
    auto merged = mergeProfiles(std::move(ranks));
    REQUIRE(merged);
    const Analysis analysis = analyze(std::make_shared<const Profile>(std::move(*merged)));
    const auto json = renderReport(analysis, ReportFormat::Json, {});
    REQUIRE(json.ok());
    const auto program = nlohmann::json::parse(*json)["program"];
    CHECK(test::shareProblem(program["shares"]) == "");
    CHECK(program["shares"]["copies"].is_null());
    CHECK(program["shares"]["idle_unknown"].get<double>() > 0.8);
    // Each GPU still reports what is known.
    REQUIRE(program["devices"].size() == 2);
    double known = 0;
    for (const auto& device : program["devices"])
        if (device["shares"]["copies"].is_number())
            known = device["shares"]["copies"].get<double>();
    CHECK(known > 0.8);
}
