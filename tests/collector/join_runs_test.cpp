// SPDX-License-Identifier: Apache-2.0
#include "collector/run/join/join_runs.h"

#include <cmath>

#include "collector/run/join/serial_times.h"
#include "collector/run/strategy/replay_strategy.h"
#include "collector/run/strategy/representative_launches.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

/// A profile with launches of kernels "a", "b", …, one character each; digits start a new process.
Profile runOf(const std::string& launches, const std::string& counter = "",
              const std::vector<double>& values = {}) {
    Profile p;
    p.devices.push_back({.name = "GPU", .chip = "GH100"});
    p.processes.push_back({.pid = 1});
    for (const char c : launches) {
        if (c >= '1' && c <= '9') {
            p.processes.push_back({.pid = c});
            continue;
        }
        const std::string symbol(1, c);
        std::uint32_t kernel = 0;
        while (kernel < p.kernels.size() && p.kernels[kernel].symbol != symbol) ++kernel;
        if (kernel == p.kernels.size()) p.kernels.push_back({.name = symbol, .symbol = symbol});
        p.launches.push_back(
            {.kernel = kernel, .process = static_cast<std::uint32_t>(p.processes.size() - 1)});
    }
    p.counters.resize(p.launches.size());
    if (!counter.empty()) {
        std::vector<double> column = values;
        if (column.empty())
            for (std::size_t i = 0; i < p.launches.size(); ++i)
                column.push_back(static_cast<double>(i));
        p.counters.addColumn(counter, column);
    }
    return p;
}

}  // namespace

TEST_CASE("runs that repeat are joined row by row, each with its own counters") {
    Profile base = runOf("aabab");
    CHECK(joinCounters(base, runOf("aabab", "x")).matched == 5);
    const auto second = joinCounters(base, runOf("aabab", "y", {9, 8, 7, 6, 5}));
    CHECK(second.firstDifference.empty());
    CHECK(second.withoutPartner == 0);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(base.counters.value("x", i) == static_cast<double>(i));
        CHECK(base.counters.value("y", i) == 9.0 - static_cast<double>(i));
    }
}

TEST_CASE("another order between kernels does no harm, but is told") {
    Profile base = runOf("aabb");
    const auto report = joinCounters(base, runOf("abab", "x", {1, 2, 3, 4}));
    CHECK(report.withoutPartner == 0);
    CHECK(report.firstDifference.find("at launch 2 of process 1") == 0);
    CHECK(base.counters.value("x", 0) == 1.0);
    CHECK(base.counters.value("x", 1) == 3.0);
    CHECK(base.counters.value("x", 2) == 2.0);
    CHECK(base.counters.value("x", 3) == 4.0);
}

TEST_CASE("launches beyond those that are known are left out, unknown kernels are added") {
    Profile base = runOf("ab");
    const auto report = joinCounters(base, runOf("aabc", "x"));
    CHECK(report.matched == 2);
    CHECK(report.withoutPartner == 2);
    REQUIRE(base.launches.size() == 3);
    CHECK(base.kernels.at(base.launches[2].kernel).symbol == "c");
    CHECK(base.counters.value("x", 0) == 0.0);
    CHECK(base.counters.value("x", 1) == 2.0);
    CHECK(base.counters.value("x", 2) == 3.0);
}

TEST_CASE("missing stays missing, and what is there is not replaced") {
    Profile base = runOf("aaa", "x", {1, std::nan(""), 3});
    (void)joinCounters(base, runOf("aa", "x", {7, 8}));
    CHECK(base.counters.value("x", 0) == 1.0);
    CHECK(base.counters.value("x", 1) == 8.0);
    CHECK(base.counters.value("x", 2) == 3.0);
    Profile other = runOf("aaa");
    (void)joinCounters(other, runOf("a", "x"));
    CHECK(other.counters.value("x", 0) == 0.0);
    CHECK_FALSE(other.counters.value("x", 1));
}

TEST_CASE("processes are told apart") {
    Profile base = runOf("a1a");
    (void)joinCounters(base, runOf("a1a", "x", {1, 2}));
    CHECK(base.counters.value("x", 0) == 1.0);
    CHECK(base.counters.value("x", 1) == 2.0);
}

TEST_CASE("processes that launch nothing shift nobody, in whichever run they were") {
    const Profile withHelper = runOf("1a2a"), without = runOf("a1a");
    for (const bool helperFirst : {true, false}) {
        INFO("the helper was in the " << (helperFirst ? "first" : "second") << " run");
        Profile base = helperFirst ? withHelper : without;
        Profile run = helperFirst ? without : withHelper;
        run.counters.addColumn("x", {7, 9});
        const auto report = joinCounters(base, run);
        CHECK(report.matched == 2);
        CHECK(report.firstDifference.empty());
        CHECK(base.counters.value("x", 0) == 7.0);
        CHECK(base.counters.value("x", 1) == 9.0);
        CHECK(base.issues.empty());
    }
}

TEST_CASE("where another number of processes launches, those that did the same are partners") {
    Profile base = runOf("h1aab2ab");
    const auto report = joinCounters(base, runOf("aab1ab", "x", {1, 2, 3, 4, 5}));
    CHECK(report.matched == 5);
    CHECK(report.firstDifference.find("3 processes launched kernels in one run, 2") == 0);
    CHECK_FALSE(base.counters.value("x", 0));
    for (std::size_t i = 1; i < 6; ++i) CHECK(base.counters.value("x", i) == 1.0 * i);
    REQUIRE(base.issues.size() == 1);
    CHECK(base.issues[0].code == "processes-differ");
    CHECK(base.issues[0].severity == Severity::DataLoss);
}

TEST_CASE("processes without a certain partner are not joined") {
    // One of three equal processes is missing, and which one is unknown.
    Profile base = runOf("a1a2a");
    CHECK(joinCounters(base, runOf("a1a", "x")).matched == 0);
    CHECK(base.launches.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK_FALSE(base.counters.value("x", i));
    REQUIRE(base.issues.size() == 1);
    CHECK(base.issues[0].severity == Severity::DataLoss);
    CHECK(base.issues[0].message.find("the profile lacks 2 launches of the later run") !=
          std::string::npos);
    // What the base does not have at all is added as another process.
    base = runOf("a1b");
    (void)joinCounters(base, runOf("c1a2b", "x", {1, 2, 3}));
    REQUIRE(base.launches.size() == 3);
    CHECK(base.processes.size() == 3);
    CHECK(base.launches[2].process == 2);
    CHECK(base.counters.value("x", 0) == 2.0);
    CHECK(base.counters.value("x", 1) == 3.0);
    CHECK(base.counters.value("x", 2) == 1.0);
}

TEST_CASE("processes that started in another order are known by rank, or by what they launched") {
    Profile base = runOf("a1b");
    (void)joinCounters(base, runOf("b1a", "x", {1, 2}));
    CHECK(base.counters.value("x", 0) == 2.0);
    CHECK(base.counters.value("x", 1) == 1.0);
    // Equally many, but with different launches: joined in their order, as far as they agree.
    base = runOf("aa1b");
    (void)joinCounters(base, runOf("a1bb", "x", {1, 2, 3}));
    CHECK(base.counters.value("x", 0) == 1.0);
    CHECK(base.counters.value("x", 2) == 2.0);
    base = runOf("a1a");
    Profile run = runOf("a1a", "x", {1, 2});
    base.processes[0].rank = run.processes[1].rank = 0;
    base.processes[1].rank = run.processes[0].rank = 1;
    (void)joinCounters(base, run);
    CHECK(base.counters.value("x", 0) == 2.0);
    CHECK(base.counters.value("x", 1) == 1.0);
    CHECK(base.issues.empty());
}

TEST_CASE("a base without launches takes the run as it is") {
    Profile base;
    base.issues.push_back({.code = "before"});
    (void)joinCounters(base, runOf("ab", "x"));
    CHECK(base.launches.size() == 2);
    CHECK(base.issues.size() == 1);
    CHECK(base.counters.value("x", 1) == 1.0);
}

TEST_CASE("several timing runs give the median per launch") {
    std::vector<Profile> runs;
    for (const double us : {5.0, 1.0, 3.0}) {
        runs.push_back(runOf("ab"));
        runs.back().launches[0].duration = Seconds{us};
        if (us > 2) runs.back().launches[1].duration = Seconds{us};
    }
    const Profile joined = joinTimings(std::move(runs));
    CHECK(joined.launches.at(0).duration == Seconds{3.0});
    CHECK(joined.launches.at(1).duration == Seconds{4.0});  // median of two runs
}

TEST_CASE("the launches that stand for a kernel are typical ones, not the cold first") {
    Profile p = runOf("aaaaab");
    const double us[] = {50, 10, 11, 30, 12, 7};
    for (std::size_t i = 0; i < 6; ++i) p.launches[i].duration = Seconds{us[i]};
    const auto picks = representativeLaunches(p, 2);
    REQUIRE(picks.size() == 2);
    const auto of = [&](std::size_t row) {
        return picks.at(
            launchSignature(p.kernels[p.launches[row].kernel].symbol, p.launches[row], ""));
    };
    CHECK(of(0) == std::vector<std::uint32_t>{2, 4});
    CHECK(of(5) == std::vector<std::uint32_t>{0});  // the only one, so the first is taken
}

TEST_CASE("a further run lasts until everything that takes much time has begun") {
    Profile p = runOf("aabac");
    CHECK_FALSE(lastSignatureBegins(p));
    const double seconds[] = {1, 1, 0.5, 1, 0.1};
    for (std::size_t i = 0; i < 5; ++i) {
        p.launches[i].start = Seconds{static_cast<double>(i) * 10};
        p.launches[i].duration = Seconds{seconds[i]};
    }
    CHECK(lastSignatureBegins(p) == Seconds{20});  // not c, of 2.8 %
    p.launches[4].duration = Seconds{0.2};
    CHECK(lastSignatureBegins(p) == Seconds{40});
}

TEST_CASE("launches that differ severalfold stand for equal parts of the time") {
    Profile p = runOf("aaaaaa");
    const auto picked = [&](std::initializer_list<double> durations, std::uint32_t most) {
        std::size_t i = 0;
        for (const double us : durations) p.launches[i++].duration = Seconds{us};
        return representativeLaunches(p, most).at(launchSignature(p, p.launches[0]));
    };
    // The levels of a search. Without a choice by time, the launches with 99 % of the time would
    // not be counted.
    CHECK(picked({14125, 9081, 248, 8, 4, 3}, 3) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(picked({3, 8, 14125, 248, 9081, 4}, 1) == std::vector<std::uint32_t>{2});
    CHECK(picked({100, 1, 1, 1, 1, 1}, 2) == std::vector<std::uint32_t>{1, 2});  // a slow first one
    for (Launch& launch : p.launches) launch.duration.reset();
    CHECK(picked({}, 2) == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("where graphs have clusters, launches outside of graphs are counted") {
    Profile p = runOf("aaaaabbb");
    for (std::size_t i = 0; i < 8; ++i) {
        p.launches[i].duration = Seconds{i < 2 ? 30.0 : 10.0};
        p.launches[i].fromGraph = i >= 2;
    }
    const auto picked = [&] {
        std::vector<std::vector<std::uint32_t>> ordinals;
        for (const std::size_t row : {0, 5})
            ordinals.push_back(
                representativeLaunches(p, 1).at(launchSignature(p, p.launches[row])));
        return ordinals;
    };
    using Ordinals = std::vector<std::vector<std::uint32_t>>;
    CHECK(picked() == Ordinals{{2}, {1}});
    for (std::size_t i = 5; i < 8; ++i) p.launches[i].cluster = Dim3{2, 1, 1};
    CHECK(picked() == Ordinals{{1}, {1}});  // b runs in graphs only
}

TEST_CASE("where saving memory takes long, one launch of each shape is counted") {
    Profile p = runOf(std::string(12, 'a'));
    const auto counted = [&](std::uint32_t shapes, bool onePerShape, double seconds = 1e-3) {
        for (std::uint32_t i = 0; i < 12; ++i) {
            p.launches[i].grid = {1 + i % shapes, 1, 1};
            p.launches[i].duration = Seconds{seconds};
        }
        std::size_t sum = 0;
        for (const auto& [signature, ordinals] :
             representativeLaunches(p, 3, {}, 2U, {}, onePerShape))
            sum += ordinals.size();
        return sum;
    };
    CHECK(counted(2, true) == 6);
    CHECK(counted(4, true) == 4);
    CHECK(counted(4, false) == 12);
    // Or where a launch takes long while it is counted.
    for (const double seconds : {1.9e-3, 2.1e-3}) {
        std::size_t sum = 0;
        CHECK(counted(2, false, seconds) == 6);
        for (const auto& [signature, ordinals] :
             representativeLaunches(p, 3, {}, 2U, {}, false, true))
            sum += ordinals.size();
        CHECK(sum == (seconds < 2e-3 ? 6 : 2));
    }
}

TEST_CASE("kernels to be timed one by one keep an uncounted launch that is not the first") {
    Profile p = runOf("aaaabbbccd");
    for (Launch& launch : p.launches) launch.duration = Seconds{1};
    std::set<std::uint64_t> all;
    const auto signature = [&](std::size_t row) { return launchSignature(p, p.launches[row]); };
    for (const std::size_t row : {0, 4, 7, 9}) all.insert(signature(row));
    const auto picks = representativeLaunches(p, 3, {}, {}, all);
    CHECK(picks.at(signature(0)) == std::vector<std::uint32_t>{1, 2});
    CHECK(picks.at(signature(4)) == std::vector<std::uint32_t>{1});
    CHECK(picks.at(signature(7)) == std::vector<std::uint32_t>{0, 1});  // too few to leave one out
    CHECK(picks.at(signature(9)) == std::vector<std::uint32_t>{0});
    CHECK(representativeLaunches(p, 3).at(signature(0)).size() == 3);
}

TEST_CASE("of a kernel with many shapes only those with the most time are counted") {
    Profile p = runOf(std::string(40, 'a') + "b");
    for (std::uint32_t i = 0; i < 40; ++i) {
        p.launches[i].grid = {i + 1, 1, 1};
        p.launches[i].duration = Seconds{1 + 0.01 * i};
    }
    p.launches[40].duration = Seconds{1};
    const auto counted = [&](auto... perSmall) {
        std::vector<std::uint32_t> grids;
        for (const auto& [signature, ordinals] : representativeLaunches(p, 3, {}, perSmall...))
            for (const Launch& launch : p.launches)
                if (!ordinals.empty() && launchSignature(p, launch) == signature)
                    grids.push_back(launch.kernel == 0 ? launch.grid.x : 0);
        std::ranges::sort(grids);
        return grids;
    };
    CHECK(counted(2U) == std::vector<std::uint32_t>{0, 35, 36, 37, 38, 39, 40});
    p.launches[3].duration = Seconds{5};
    p.launches[5].duration = Seconds{2};  // 3 % of the time and more are always counted
    for (std::uint32_t i = 6; i < 12; ++i) p.launches[i].duration = Seconds{3};
    CHECK(counted(2U) == std::vector<std::uint32_t>{0, 4, 6, 7, 8, 9, 10, 11, 12});
    // The user asked for a number of each.
    CHECK(counted().size() == 41);
}

TEST_CASE("kernels below 1 % of the time have fewer launches counted") {
    Profile p = runOf("aaaabbbb");
    for (std::size_t i = 0; i < 8; ++i) p.launches[i].duration = Seconds{i < 4 ? 1e-3 : 1e-5};
    const auto picks = [&](auto... perSmall) {
        std::vector<std::size_t> counts;
        for (const std::size_t row : {0, 4}) {
            const auto& kernel = p.kernels[p.launches[row].kernel];
            counts.push_back(representativeLaunches(p, 3, {}, perSmall...)
                                 .at(launchSignature(kernel.symbol, p.launches[row], ""))
                                 .size());
        }
        return counts;
    };
    CHECK(picks(2U) == std::vector<std::size_t>{3, 2});
    CHECK(picks() == std::vector<std::size_t>{3, 3});
    CHECK(picks(9U) == std::vector<std::size_t>{3, 3});  // never more than the usual number
    p.launches[4].duration = Seconds{1e-4};              // 1 % of the time or more
    CHECK(picks(2U) == std::vector<std::size_t>{3, 3});
    for (Launch& launch : p.launches) launch.duration.reset();  // no durations are known
    CHECK(picks(2U) == std::vector<std::size_t>{3, 3});
}

TEST_CASE("the replay that takes less time is chosen; graphs leave no choice") {
    StrategyFacts facts{
        .programTime = {1.0}, .launches = 1000, .counted = 1000, .passes = 2, .runs = 2};
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Application);
    CHECK(chooseStrategy(facts, ReplayChoice::Kernel).replay == CountersMode::Replay::Kernel);
    CHECK(chooseStrategy(facts, ReplayChoice::Multiplex).replay == CountersMode::Replay::Multiplex);
    facts.graphs = true;
    CHECK(chooseStrategy(facts, ReplayChoice::Application).replay == CountersMode::Replay::Kernel);
    CHECK(chooseStrategy(facts, ReplayChoice::Multiplex).replay == CountersMode::Replay::Kernel);
    facts.graphs = false;
    facts.waitsForPeers = true;
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Kernel);
    facts.waitsForPeers = false;
    facts.counted = 3;
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Kernel);
    facts.programTime = {600.0};
    facts.counted = 1000;
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Kernel);
}

TEST_CASE("kernel replay pays for the memory that a program holds, dearly beyond half the GPU's") {
    // On an H100, two passes: holding 64 of 85 GB costs 21.5 s per launch, holding 34 GB 0.14 s.
    const HeldMemory most{.bytes = 64'000'000'000, .freeBytes = 21'000'000'000};
    CHECK(savingPerLaunch(most, 2).value == Approx(21.5).epsilon(0.05));
    const HeldMemory some{.bytes = 34'000'000'000, .freeBytes = 51'000'000'000};
    CHECK(2 * replayCosts().kernelPass.value + savingPerLaunch(some, 2).value ==
          Approx(0.14).epsilon(0.05));
    CHECK(savingPerLaunch({}, 2).value == 0);

    // Few launches counted in a program that runs for a minute.
    StrategyFacts facts{
        .programTime = {60.0}, .launches = 100'000, .counted = 50, .passes = 2, .runs = 2};
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Kernel);
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Auto).onePass);
    facts.memory = some;
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Auto).onePass);
    facts.memory = most;
    const Strategy apart = chooseStrategy(facts, ReplayChoice::Auto);
    CHECK(apart.onePass);
    CHECK(apart.onePassCost < apart.kernelCost);
    CHECK(apart.reason.find("64 GB") != std::string::npos);
    // An explicit choice is kept. For all launches of a short program application replay is
    // cheaper.
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Kernel).onePass);
    facts.launches = facts.counted = 1000;
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Application);
    facts.graphs = true;
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).onePass);
}

TEST_CASE("saving costs too much beyond half of the GPU's memory, or 0.25 s for pinned memory") {
    CHECK_FALSE(savingCostsTooMuch({.bytes = 42'000'000'000, .freeBytes = 43'000'000'000}));
    CHECK(savingCostsTooMuch({.bytes = 43'000'000'000, .freeBytes = 42'000'000'000}));
    CHECK_FALSE(savingCostsTooMuch({.pinnedBytes = 277'000'000}));  // at 0.9 ns per byte
    CHECK(savingCostsTooMuch({.pinnedBytes = 278'000'000}));
    CHECK_FALSE(savingCostsTooMuch({.bytes = 2, .freeBytes = 1, .pinnedBytes = 278'000'000}, 1));
    CHECK_FALSE(savingCostsTooMuch({}));
}

TEST_CASE(
    "a program that holds tens of thousands of allocations is not repeated launch by launch") {
    StrategyFacts facts{.programTime = {1.5}, .launches = 47, .counted = 7, .passes = 2, .runs = 2};
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Kernel);
    facts.memory.allocations = 9'999;
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Kernel);
    facts.memory.allocations = 60'000;
    CHECK(savingPerLaunch(facts.memory, 2).value == Approx(18));
    CHECK(savingPerLaunch(facts.memory, 1).value == 0);
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Application);
    facts.graphs = true;
    const Strategy graphs = chooseStrategy(facts, ReplayChoice::Auto);
    CHECK(graphs.onePass);
    CHECK(graphs.reason.find("60000 allocations") != std::string::npos);

    Timeline timeline;
    timeline.threads.resize(2);
    timeline.threads[1].process = 1;
    timeline.callNames = {{"cuMemAlloc_v2", CallKind::Allocate},
                          {"cuMemFree_v2", CallKind::Free},
                          {"cuLaunchKernel", CallKind::Launch}};
    for (const auto& [name, thread] :
         {std::pair{0U, 0U}, {0U, 0U}, {1U, 0U}, {0U, 1U}, {2U, 0U}, {0U, 0U}, {0U, 0U}, {1U, 0U}})
        timeline.calls.push_back({.name = name, .thread = thread});
    CHECK(mostAllocations(timeline) == 3);
    CHECK(mostAllocations({}) == 0);
}

TEST_CASE("kernel replay pays for pinned memory, once per launch of several passes") {
    // On an H100 0.25 GB of pinned memory make a launch of two passes 0.19 to 0.26 s longer, 4.3 GB
    // 3.1 s. Three or five passes cost no more than two; a single pass costs nothing.
    const HeldMemory some{.pinnedBytes = 268'000'000}, much{.pinnedBytes = 4'295'000'000};
    CHECK(savingPerLaunch(some, 2).value == Approx(0.225).epsilon(0.2));
    CHECK(savingPerLaunch(some, 5).value == savingPerLaunch(some, 2).value);
    CHECK(savingPerLaunch(much, 2).value == Approx(3.5).epsilon(0.15));
    CHECK(savingPerLaunch(much, 1).value == 0);

    StrategyFacts facts{
        .programTime = {10.0}, .launches = 100'000, .counted = 150, .passes = 2, .runs = 2};
    facts.memory = some;
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Auto).onePass);
    facts.memory = much;
    const Strategy apart = chooseStrategy(facts, ReplayChoice::Auto);
    CHECK(apart.onePass);
    CHECK(apart.reason.find("4.3 GB of pinned memory") != std::string::npos);
    facts.passes = 1;
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Auto).onePass);
}

TEST_CASE("graphs by application replay, and kernels that wait for others, take one pass a run") {
    StrategyFacts facts{
        .programTime = {1.0}, .launches = 1000, .counted = 10, .passes = 2, .runs = 2};
    facts.graphs = true;
    CHECK(chooseStrategy(facts, ReplayChoice::Application).onePass);
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Auto).onePass);
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Multiplex).onePass);
    facts.graphs = false;
    facts.waitsForPeers = true;
    // Whatever a rank estimates, all ranks must run the program the same number of times.
    for (const double seconds : {0.1, 1000.0}) {
        facts.programTime = {seconds};
        CHECK(chooseStrategy(facts, ReplayChoice::Auto).onePass);
    }
    CHECK(chooseStrategy(facts, ReplayChoice::Application).onePass);
    CHECK_FALSE(chooseStrategy(facts, ReplayChoice::Kernel).onePass);
}

TEST_CASE("a rank runs its program as often as the others, whatever it estimates") {
    StrategyFacts facts{
        .programTime = {1.0}, .launches = 1000, .counted = 3, .passes = 2, .runs = 2};
    facts.oneOfRanks = true;
    for (const std::size_t counted : {3U, 1000U}) {
        facts.counted = counted;
        CHECK(chooseStrategy(facts, ReplayChoice::Auto).onePass);
    }
}

TEST_CASE("one pass saves nothing, and full memory outweighs a counter of several passes") {
    const HeldMemory most{.bytes = 64'000'000'000, .freeBytes = 21'000'000'000};
    StrategyFacts facts{
        .programTime = {20.0}, .launches = 200, .counted = 60, .passes = 1, .runs = 1};
    const double free = chooseStrategy(facts, ReplayChoice::Kernel).kernelCost.value;
    facts.memory = most;
    CHECK(chooseStrategy(facts, ReplayChoice::Kernel).kernelCost.value == free);
    facts.passes = facts.runs = 2;
    facts.someNeedSeveralPasses = true;
    const Strategy s = chooseStrategy(facts, ReplayChoice::Auto);
    CHECK((s.onePass || s.replay == CountersMode::Replay::Application));
}

TEST_CASE("counters that need several passes are not given up for speed") {
    StrategyFacts facts{
        .programTime = {1.0}, .launches = 1000, .counted = 1000, .passes = 8, .runs = 4};
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Application);
    facts.someNeedSeveralPasses = true;
    CHECK(chooseStrategy(facts, ReplayChoice::Auto).replay == CountersMode::Replay::Kernel);
    CHECK(chooseStrategy(facts, ReplayChoice::Application).replay ==
          CountersMode::Replay::Application);
}

namespace {

/// Launches of one kernel back to back, with these durations (s) and `blocks` blocks of 256
/// threads.
Profile timed(const std::vector<double>& seconds, std::uint32_t blocks) {
    Profile p = runOf(std::string(seconds.size(), 'a'));
    p.devices[0].smCount = 132;
    double at = 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        p.launches[i].grid = {blocks, 1, 1};
        p.launches[i].block = {256, 1, 1};
        p.launches[i].start = Seconds{at};
        p.launches[i].duration = Seconds{seconds[i]};
        at += seconds[i] + 2e-6;
    }
    return p;
}

}  // namespace

TEST_CASE("kernels of many short warps are timed again without instrumentation") {
    const auto mayBeTooLong = [](const Profile& p) { return !timedTooLong(p).empty(); };
    CHECK(mayBeTooLong(timed({360e-6, 360e-6}, 524288)));  // instrumentation added 35 µs of them
    CHECK_FALSE(mayBeTooLong(timed({360e-6}, 528)));       // a persistent kernel
    CHECK_FALSE(mayBeTooLong(timed({15e-6}, 16384)));      // short: less than what serialising adds
    Profile together = timed({360e-6, 360e-6}, 524288);
    together.launches[1].start = Seconds{100e-6};
    CHECK_FALSE(mayBeTooLong(together));
    together.devices.push_back(together.devices[0]);
    together.launches[1].device = 1;
    CHECK(mayBeTooLong(together));
    Profile waiting = timed({360e-6}, 524288);
    waiting.kernels[0].symbol =
        "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE";
    CHECK_FALSE(mayBeTooLong(waiting));
}

TEST_CASE("no serial run for kernels whose serial times are known or that take little time") {
    // The last launch is too short to be timed too long, but counts as its kernel is the same.
    Profile p = timed({360e-6, 360e-6, 15e-6}, 524288);
    p.launches[0].grid.x += 1;
    const std::uint64_t first = launchSignature(p, p.launches[0]),
                        second = launchSignature(p, p.launches[1]);
    const KernelShares shares = timedTooLong(p);
    REQUIRE(shares.size() == 2);
    CHECK(shares.at(first) == Approx(360.0 / 735));
    CHECK(shares.at(second) == Approx(375.0 / 735));
    const SerialTimes one{{first, Seconds{325e-6}}}, both{{first, {}}, {second, {}}};
    CHECK(needsSerialRun(shares, {}));
    CHECK(needsSerialRun(shares, one));
    CHECK_FALSE(needsSerialRun(shares, both));
    CHECK_FALSE(needsSerialRun({}, {}));
    CHECK_FALSE(needsSerialRun({{first, 0.9}, {second, 0.02}}, one));
    CHECK(needsSerialRun({{first, 0.9}, {second, 0.04}}, one));
    CHECK(needsSerialRun({{second, 0.02}}, {}));
}

TEST_CASE("the shorter of two timings counts, and gaps stay") {
    Profile base = timed({360e-6, 6e-6, 200e-6}, 524288);
    Profile serial = timed({324e-6, 7.3e-6}, 524288);
    serial.issues = {{.code = "timeout", .message = "m"}, {.code = "timeout", .message = "m"}};
    CHECK(joinSerialTimes(base, serial) == 2);
    CHECK(base.issues.size() == 1);
    CHECK(base.launches[0].duration->value == Approx(324e-6));
    CHECK(base.launches[1].duration->value == 6e-6);
    CHECK(base.launches[2].duration->value == 200e-6);
    for (std::size_t i = 1; i < 3; ++i)
        CHECK(base.launches[i].start->value - base.launches[i - 1].start->value -
                  base.launches[i - 1].duration->value ==
              Approx(2e-6));
}

TEST_CASE("shortened kernels take the timeline along: what lies between them keeps its length") {
    Profile base = runOf("ab", "x"), serial = runOf("ab", "x");
    base.launches[0].start = Seconds{0};
    base.launches[0].duration = Seconds{100e-6};
    base.launches[1].start = Seconds{150e-6};
    base.launches[1].duration = Seconds{50e-6};
    serial.launches[0].duration = Seconds{90e-6};
    serial.launches[1].duration = Seconds{45e-6};
    base.timeline.transfers = {{.time = {-20'000, -5'000}}, {.time = {110'000, 140'000}}};
    base.timeline.calls = {{.time = {95'000, 120'000}}, {.time = {180'000, 300'000}}};
    base.timeline.ranges = {{.time = {-30'000, 210'000}, .gpu = TimeSpan{0, 200'000}}};
    Profile twoGpus = base;
    twoGpus.devices.resize(2);
    twoGpus.launches[1].device = 1;
    CHECK(joinSerialTimes(base, serial) == 2);
    CHECK(base.launches[1].start->value == Approx(140e-6));
    CHECK(base.timeline.transfers[0].time == TimeSpan{-20'000, -5'000});
    CHECK(base.timeline.transfers[1].time == TimeSpan{100'000, 130'000});
    // A time in the part cut off from the kernel moves to the kernel's end.
    CHECK(base.timeline.calls[0].time == TimeSpan{90'000, 110'000});
    CHECK(base.timeline.calls[1].time == TimeSpan{170'000, 285'000});
    CHECK(base.timeline.ranges[0].time == TimeSpan{-30'000, 195'000});
    CHECK(base.timeline.ranges[0].gpu == TimeSpan{0, 185'000});
    // With two GPUs it is unknown by how much the CPU's calls move.
    const Timeline before = twoGpus.timeline;
    CHECK(joinSerialTimes(twoGpus, serial) >= 1);
    CHECK(twoGpus.timeline == before);
    CHECK(twoGpus.launches[1].start == Seconds{150e-6});
}

TEST_CASE("a GPU is known again by its UUID, in whatever order runs list them") {
    Profile base = runOf("ab"), run = runOf("ab", "x", {1, 2});
    base.devices.assign(2, base.devices[0]);
    base.devices[0].uuid = "GPU-1";
    base.devices[1].uuid = "GPU-2";
    base.launches[1].device = 1;
    run.devices = {base.devices[1], base.devices[0]};
    run.devices[0].peaks["p"] = 2;
    run.launches[0].device = 1;
    run.launches[1].device = 0;
    CHECK(joinCounters(base, run).matched == 2);
    CHECK(base.devices.size() == 2);
    CHECK(base.devices[1].peaks.at("p") == 2);
    CHECK(base.devices[0].peaks.empty());
}

TEST_CASE("how fast a run with counters went alone goes to the process that was traced") {
    Profile base = runOf("ab"), run = runOf("ab");
    run.processes[0].pace = LaunchPace{.alone = {{0, 0}, {1, 5}}};
    joinCounters(base, run);
    CHECK_FALSE(base.processes[0].pace);  // nothing to compare it with
    base.processes[0].pace = LaunchPace{.traced = {{0, 0}, {1, 10}}};
    joinCounters(base, run);
    CHECK(base.processes[0].pace->alone == run.processes[0].pace->alone);
    run.processes[0].pace->alone.push_back({9, 90});
    joinCounters(base, run);
    CHECK(base.processes[0].pace->alone.size() == 2);  // that of the first run with it stays
}
