// SPDX-License-Identifier: Apache-2.0
#include "collector/run/join/join_ranges.h"

#include "collector/run/measure/ranges.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

/// Two processes on one GPU; each occurrence launches the number of kernels in `launches`.
Profile runOf(const std::vector<std::uint64_t>& launches, const std::string& counter = "",
              double first = 0) {
    Profile p;
    p.devices.push_back({.name = "GPU", .uuid = "GPU-0", .chip = "GH100"});
    p.processes = {{.pid = 1}, {.pid = 2}};
    p.ranges = {"decode", "other"};
    for (std::uint32_t process = 0; process < 2; ++process)
        for (std::uint32_t i = 0; i < launches.size(); ++i)
            p.rangeMeasurements.push_back(
                {.process = process, .ordinal = i, .launches = launches[i], .work = launches[i]});
    p.rangeCounters.resize(p.rangeMeasurements.size());
    if (!counter.empty())
        for (std::size_t i = 0; i < p.rangeMeasurements.size(); ++i)
            p.rangeCounters.set(counter, i, first + static_cast<double>(i));
    return p;
}

}  // namespace

TEST_CASE("counters of several runs join by process, path and occurrence") {
    Profile base = runOf({3, 4});
    CHECK(joinRanges(base, runOf({3, 4}, "a"), 0).matched == 4);
    Profile second = runOf({3, 4}, "b", 10);
    std::swap(second.rangeMeasurements[0], second.rangeMeasurements[1]);  // order does not matter
    CHECK(joinRanges(base, second, 0).matched == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(base.rangeCounters.value("a", i) == double(i));
    CHECK(base.rangeCounters.value("b", 0) == 11.0);
    CHECK(base.rangeCounters.value("b", 1) == 10.0);
    CHECK(base.rangeCounters.value("b", 3) == 13.0);
}

TEST_CASE("an occurrence that launched other kernels is not the same") {
    Profile base = runOf({3, 4});
    const RangeJoin join = joinRanges(base, runOf({3, 5}, "a"), 0);
    CHECK(join.matched == 2);
    CHECK(join.differing == 2);
    CHECK(base.rangeCounters.value("a", 0) == 0.0);
    CHECK_FALSE(base.rangeCounters.value("a", 1));
}

TEST_CASE("occurrences of one run only are counted") {
    Profile base = runOf({3, 4, 5});
    const RangeJoin fewer = joinRanges(base, runOf({3}, "a"), 0);
    CHECK(fewer.absent == 4);
    CHECK(fewer.unknown == 0);
    Profile small = runOf({3});
    CHECK(joinRanges(small, runOf({3, 4}, "a"), 0).unknown == 2);
    CHECK(small.rangeMeasurements.size() == 2);
}

TEST_CASE("GPUs are told by uuid, whatever their order") {
    Profile base = runOf({3}), run = runOf({3}, "a");
    base.devices.push_back({.name = "GPU", .uuid = "GPU-1"});
    run.devices.insert(run.devices.begin(), {.name = "GPU", .uuid = "GPU-1"});
    run.devices[0].peaks["p"] = 7;
    CHECK(joinRanges(base, run, 0).unknown == 2);  // the ranges of GPU-1
    for (auto& m : run.rangeMeasurements) m.device = 1;
    CHECK(joinRanges(base, run, 0).matched == 2);
    CHECK(base.devices[1].peaks.at("p") == 7);
    CHECK_FALSE(base.devices[0].peaks.contains("p"));
}

TEST_CASE("durations are medians over timing runs that launched the same") {
    Profile a = runOf({3}), b = runOf({3}), c = runOf({3}), other = runOf({4});
    double seconds = 1;
    for (Profile* p : {&a, &b, &c, &other}) {
        p->rangeMeasurements[0].busy = Seconds{seconds / 2};
        p->rangeMeasurements[0].duration = Seconds{seconds++};
    }
    joinRangeTimes(a, {&b, &c, &other});
    CHECK(a.rangeMeasurements[0].duration->value == 2.0);
    CHECK(a.rangeMeasurements[0].busy->value == 1.0);
    CHECK_FALSE(a.rangeMeasurements[1].duration);
}

TEST_CASE("the program runs once per group of counters and depth") {
    Profile base = runOf({3, 4});
    base.rangeMeasurements[1].depth = base.rangeMeasurements[3].depth = 1;
    std::vector<std::pair<std::uint32_t, std::string>> asked;
    RangeRuns runs{.run = [&](const RunConfiguration& o) -> Result<Profile> {
                       const auto& mode = std::get<RangesMode>(o.mode);
                       CHECK(mode.ranges == std::vector<std::string>{"x*"});
                       asked.emplace_back(mode.depth, mode.counters.front());
                       Profile run = runOf({3, 4}, mode.counters.front());
                       std::erase_if(run.rangeMeasurements, [&](const RangeMeasurement& m) {
                           return m.ordinal != mode.depth;
                       });
                       for (auto& m : run.rangeMeasurements) m.depth = mode.depth;
                       run.rangeCounters.resize(2);
                       return run;
                   },
                   .over = [] { return false; },
                   .say = [](const std::string&) {},
                   .groups = {{"a"}, {"b"}},
                   .ranges = {"x*"}};
    REQUIRE(recordRanges(runs, {}, base).ok());
    CHECK(asked == std::vector<std::pair<std::uint32_t, std::string>>{
                       {0, "a"}, {0, "b"}, {1, "a"}, {1, "b"}});
    CHECK(base.issues.empty());
    for (std::size_t i = 0; i < 4; ++i) CHECK(base.rangeCounters.value("b", i).has_value());
}

TEST_CASE("no range, other ranges and no rights are told once, and cost no run") {
    int ran = 0;
    RangeRuns runs{.run = [&](const RunConfiguration&) -> Result<Profile> {
                       ++ran;
                       return runOf({3, 9}, "a");
                   },
                   .over = [] { return false; },
                   .say = [](const std::string&) {},
                   .groups = {{"a"}, {"b"}}};
    Profile none;
    REQUIRE(recordRanges(runs, {}, none).ok());
    CHECK(ran == 0);
    REQUIRE(none.issues.size() == 1);
    CHECK(none.issues[0].code == "ranges-unavailable");
    Profile other = runOf({3, 4});
    REQUIRE(recordRanges(runs, {}, other).ok());
    CHECK(ran == 2);
    REQUIRE(other.issues.size() == 1);
    CHECK(other.issues[0].code == "ranges-differ");
    Profile refused = runOf({3, 4});
    refused.issues.push_back({.code = "counters-not-permitted"});
    REQUIRE(recordRanges(runs, {}, refused).ok());
    CHECK(ran == 2);
    runs.over = [] { return true; };
    Profile over = runOf({3, 4});
    REQUIRE(recordRanges(runs, {}, over).ok());
    CHECK(ran == 2);
}
