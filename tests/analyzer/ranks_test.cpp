// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/ranks.h"

#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using test::SyntheticProfile;

namespace {

/// One kernel, launched once per rank with the given time (µs); a negative time means no time.
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

namespace {

/// A launch of one of two ranks in the timing run, of "step" or (`nccl`) of NCCL; times in µs.
struct TimedLaunch {
    std::uint32_t rank;
    double start, duration;
    bool nccl = false;
};

Profile timed(const std::vector<TimedLaunch>& launches) {
    SyntheticProfile p;
    p.profile().processes = {{.pid = 1, .rank = 0}, {.pid = 2, .rank = 1}};
    const auto step = p.kernel("step()"),
               wait = p.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    for (const TimedLaunch& l : launches) {
        auto ref = p.launch(l.nccl ? wait : step, {1, 1, 1}, {32, 1, 1}).durationUs(l.duration);
        ref.launch().process = l.rank;
        ref.launch().start = Seconds{l.start * 1e-6};
    }
    return p.build();
}

/// Four launches of 10 µs in rank 0; in rank 1 the last two share the GPU with NCCL.
std::vector<TimedLaunch> overlapping() {
    return {{0, 0, 10},       {0, 20, 10},        {0, 40, 10},      {0, 60, 10},
            {0, 80, 2, true}, {1, 500, 10},       {1, 520, 10},     {1, 540, 20},
            {1, 560, 21},     {1, 535, 60, true}, {1, 536, 3, true}};
}

}  // namespace

TEST_CASE("ranks: what runs beside kernels that wait for other ranks makes no rank slow") {
    const RankReport r = compareRanks(timed(overlapping()));
    CHECK(r.kernels.empty());
    CHECK_FALSE(r.total.material);
    CHECK(r.overlapMatters);
    REQUIRE(r.total.ranks.size() == 2);
    const RankTime &first = r.total.ranks[0], &second = r.total.ranks[1];
    CHECK(first.time.value == Approx(20e-6));
    CHECK(first.launches == 2);
    CHECK(first.all.count == 4);
    CHECK(first.all.time.value == Approx(40e-6));
    REQUIRE(first.beside);
    CHECK(first.beside->count == 0);
    CHECK(second.time.value == Approx(20e-6));
    CHECK(second.all.time.value == Approx(61e-6));
    REQUIRE(second.beside);
    CHECK(second.beside->count == 2);
    CHECK(second.beside->time.value == Approx(41e-6));

    // A rank that is also slow without overlap remains slow.
    auto slow = overlapping();
    slow[5].duration = 15;
    slow[6].duration = 15;
    const RankReport s = compareRanks(timed(slow));
    REQUIRE(s.kernels.size() == 1);
    CHECK(s.kernels[0].slowest.rank == 1);
    CHECK(s.kernels[0].slowest.launches == 2);
    CHECK(s.kernels[0].slowest.time.value == Approx(30e-6));
    CHECK(s.total.material);
}

TEST_CASE("ranks: without start times all launches are compared, as far as they are known") {
    Profile p = timed(overlapping());
    for (Launch& launch : p.launches) launch.start.reset();
    const RankReport r = compareRanks(p);
    REQUIRE(r.kernels.size() == 1);
    CHECK(r.kernels[0].slowest.launches == 4);
    CHECK(r.kernels[0].slowest.time.value == Approx(61e-6));
    CHECK_FALSE(r.kernels[0].slowest.beside);
    CHECK_FALSE(r.overlapMatters);
    // Nor where the start times of NCCL's kernels are missing: no overlap is known then.
    p = timed(overlapping());
    for (std::size_t i = 0; i < p.launches.size(); ++i)
        if (overlapping()[i].nccl) p.launches[i].start.reset();
    CHECK(compareRanks(p).kernels.size() == 1);
    // Counter runs time each kernel alone.
    p = timed(overlapping());
    for (std::size_t i = 0; i < p.launches.size(); ++i)
        p.counters.set("gpu__time_duration.sum", i, 1000);
    p.launches[0].duration.reset();
    const RankReport counted = compareRanks(p);
    CHECK(counted.kernels.empty());
    CHECK_FALSE(counted.overlapMatters);
    CHECK(counted.total.ranks.at(1).launches == 4);
}

TEST_CASE("ranks: only what overlaps in the same process and on the same GPU counts") {
    auto launches = overlapping();
    launches[9].start = 700;   // after the work
    launches[10].start = 530;  // ends as the next "step" starts, at 540
    launches[10].duration = 10;
    CHECK(compareRanks(timed(launches)).kernels.size() == 1);
    // Kernels of another rank do not matter: their clock is not the same.
    launches[4].start = 530;
    launches[4].duration = 100;
    CHECK(compareRanks(timed(launches)).kernels.size() == 1);
    Profile p = timed(overlapping());
    p.devices.push_back(p.devices[0]);
    p.launches[9].device = p.launches[10].device = 1;
    CHECK(compareRanks(p).kernels.size() == 1);
}

TEST_CASE("ranks: a kernel with overlap and different launch counts is not compared") {
    auto launches = overlapping();
    launches.push_back({1, 620, 40});
    const RankReport r = compareRanks(timed(launches));
    CHECK(r.kernels.empty());
    CHECK_FALSE(r.total.material);
    REQUIRE(r.notes.size() == 2);
    CHECK(r.notes[1].in(Language::En).find("1 kernel is not compared") != std::string::npos);
    // Without NCCL it is compared: it is worth knowing that one rank launches more.
    std::erase_if(launches, [](const TimedLaunch& l) { return l.nccl; });
    CHECK(compareRanks(timed(launches)).kernels.size() == 1);
}

TEST_CASE("ranks: even ranks, one rank and no rank are quiet") {
    CHECK(compareRanks(ranksOf({10, 10.2, 10.4, 10}).build()).kernels.empty());
    CHECK_FALSE(compareRanks(ranksOf({10, 10.2, 10.4, 10}).build()).total.material);
    CHECK(compareRanks(ranksOf({10}).build()).ranks == 0);
    CHECK(compareRanks(Profile{}).ranks == 0);
    SyntheticProfile p = ranksOf({10, 30});
    for (Process& process : p.profile().processes) process.rank.reset();
    CHECK(compareRanks(p.build()).ranks == 0);
    // Two processes with the same rank are one rank.
    p = ranksOf({10, 30});
    for (Process& process : p.profile().processes) process.rank = 0;
    CHECK(compareRanks(p.build()).ranks == 0);
    // All zero: no division by zero.
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

    // A rank that runs another kernel is left out.
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
