// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks.h"

#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using test::SyntheticProfile;

namespace {

/// One kernel, one launch per rank with the time given (µs); a negative time is none.
SyntheticProfile ranksOf(const std::vector<double>& times) {
    SyntheticProfile p;
    p.profile().processes.clear();
    const auto kernel = p.kernel("void step<float>(float*)");
    for (std::uint32_t rank = 0; rank < times.size(); ++rank) {
        p.profile().processes.push_back({.pid = rank, .host = "h", .rank = rank});
        auto launch = p.launch(kernel, {1, 1, 1}, {32, 1, 1});
        launch.launch().process = rank;
        if (times[rank] >= 0) launch.set("gpu__time_duration.sum", times[rank] * 1000);
    }
    return p;
}

}  // namespace

TEST_CASE("ranks: an uneven kernel is found, with who is slowest") {
    const RankReport r = compareRanks(ranksOf({10, 11, 30, 10}).build());
    CHECK(r.ranks == 4);
    REQUIRE(r.kernels.size() == 1);
    const RankSpread& k = r.kernels[0];
    CHECK(k.name == "step<float>");
    CHECK(k.slowest.rank == 2);
    CHECK(k.slowest.time.value == Approx(30e-6));
    CHECK(k.slowest.host == "h");
    CHECK(k.fastest.rank == 0);
    CHECK(k.median.value == Approx(10.5e-6));
    CHECK(k.slowestOverMedian == Approx(30 / 10.5));
    CHECK(r.total.material);
    CHECK(r.notes.empty());
}

TEST_CASE("ranks: waiting for other ranks is not being slow") {
    SyntheticProfile p = ranksOf({10, 10.1});
    const auto wait = p.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    for (const double time : {1.0, 80.0}) {
        auto launch = p.launch(wait, {1, 1, 1}, {32, 1, 1});
        launch.set("gpu__time_duration.sum", time * 1000).launch().process = time > 1 ? 1 : 0;
    }
    const RankReport r = compareRanks(p.build());
    CHECK(r.kernels.empty());
    CHECK_FALSE(r.total.material);
    CHECK(r.total.slowest.time.value == Approx(10.1e-6));
    REQUIRE(r.notes.size() == 1);
    CHECK(r.notes[0].in(Language::En).find("NCCL") != std::string::npos);
}

TEST_CASE("ranks: even ranks, one rank and no rank are quiet") {
    CHECK(compareRanks(ranksOf({10, 10.2, 10.4, 10}).build()).kernels.empty());
    CHECK_FALSE(compareRanks(ranksOf({10, 10.2, 10.4, 10}).build()).total.material);
    CHECK(compareRanks(ranksOf({10}).build()).ranks == 0);
    CHECK(compareRanks(Profile{}).ranks == 0);
    SyntheticProfile p = ranksOf({10, 30});
    for (Process& process : p.profile().processes) process.rank.reset();
    CHECK(compareRanks(p.build()).ranks == 0);
    // Two processes of one rank are one rank.
    p = ranksOf({10, 30});
    for (Process& process : p.profile().processes) process.rank = 0;
    CHECK(compareRanks(p.build()).ranks == 0);
    // Zero everywhere: nothing is divided by it.
    const RankReport zero = compareRanks(ranksOf({0, 0}).build());
    CHECK(zero.kernels.empty());
    CHECK(zero.total.slowestOverMedian == 1);
}

TEST_CASE("ranks: a small kernel is below what is worth a line, however uneven") {
    SyntheticProfile p = ranksOf({10, 20});
    const auto large = p.kernel("large()");
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        auto launch = p.launch(large, {1, 1, 1}, {32, 1, 1});
        launch.set("gpu__time_duration.sum", 1e7);
        launch.launch().process = rank;
    }
    CHECK(compareRanks(p.build()).kernels.empty());
}

TEST_CASE("ranks: what is missing is left out and said, never 0") {
    const RankReport r = compareRanks(ranksOf({10, -1, 30, 10}).build());
    REQUIRE(r.kernels.size() == 1);
    CHECK(r.kernels[0].ranks.size() == 3);
    CHECK(r.kernels[0].fastest.rank == 0);
    REQUIRE(r.notes.size() == 1);
    CHECK(r.notes[0].in(Language::En).find("rank 1 is") != std::string::npos);
    CHECK(compareRanks(ranksOf({-1, -1}).build()).kernels.empty());

    // A rank that does something else takes no part.
    SyntheticProfile p = ranksOf({10, 30, 10});
    const auto other = p.kernel("other()");
    p.profile().launches[2].kernel = other;
    const RankReport q = compareRanks(p.build());
    REQUIRE(q.kernels.size() == 1);
    CHECK(q.kernels[0].ranks.size() == 2);
    CHECK(q.notes.empty());
}

TEST_CASE("ranks: durations of two kinds are never mixed") {
    SyntheticProfile p = ranksOf({10, 30});
    p.profile().launches[0].duration = Seconds{1};
    CHECK(compareRanks(p.build()).kernels.at(0).slowest.rank == 1);
    p.profile().launches[1].duration = Seconds{0.5};
    CHECK(compareRanks(p.build()).kernels.at(0).slowest.rank == 0);
}
