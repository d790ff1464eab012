// SPDX-License-Identifier: Apache-2.0
// How often warps are sampled, and how samples join the counters of their instructions.
#include "collector/run/measure/stall_samples.h"

#include <cmath>

#include "collector/configuration/run_configuration.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

constexpr const char* kLong = "smsp__pcsamp_warps_issue_stalled_long_scoreboard";
constexpr const char* kLongTwin = "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued";
constexpr const char* kSelected = "smsp__pcsamp_warps_issue_stalled_selected";
constexpr const char* kCount = "smsp__pcsamp_sample_count";
constexpr const char* kExecuted = "smsp__sass_inst_executed";

std::uint32_t periodOf(std::vector<double> seconds) {
    Profile p;
    p.devices.push_back({.smCount = 132, .smClockMax = Hertz{1.98e9}});
    std::vector<SourceTarget> targets;
    for (const double s : seconds) {
        targets.push_back({.launch = static_cast<std::uint32_t>(p.launches.size())});
        p.launches.push_back({});
        if (s > 0) p.launches.back().duration = Seconds{s};
    }
    return samplingPeriod(p, targets);
}

SourcePass counted(bool withCode) {
    SourcePass pass;
    for (const std::uint32_t offset : {0U, 16U, 32U})
        pass.instructions.push_back(
            {.offset = offset, .sass = withCode ? "FFMA R0, R1, R2, R3" : "", .line = 7});
    pass.counters.addColumn(kExecuted, {1, 2, 3});
    return pass;
}

SourcePass sampled(std::vector<std::uint32_t> offsets) {
    SourcePass pass;
    std::vector<double> waiting, twin, selected;
    for (const std::uint32_t offset : offsets) {
        pass.instructions.push_back({.offset = offset});
        waiting.push_back(100 + offset);
        twin.push_back(90);
        selected.push_back(1);
    }
    pass.counters.addColumn(kLong, waiting);
    pass.counters.addColumn(kLongTwin, twin);
    pass.counters.addColumn(kSelected, selected);
    return pass;
}

}  // namespace

TEST_CASE("the period gives some ten thousand samples and does not fill the buffer") {
    const auto samples = [](double seconds, std::uint32_t period) {
        return seconds * 1.98e9 * 132 / std::exp2(period);
    };
    for (const double seconds : {50e-6, 0.5e-3, 5e-3, 0.1, 2.0, 60.0}) {
        const std::uint32_t period = periodOf({seconds});
        CAPTURE(seconds, period);
        CHECK(samples(seconds, period) >= 50'000);
        CHECK(samples(seconds, period) < 4'000'000);
    }
    // If both limits cannot be kept, the longest kernel decides.
    CHECK(samples(60, periodOf({20e-6, 60})) <= 4'000'000);
    CHECK(samples(20e-6, periodOf({20e-6, 1e-3})) >= 40'000);
    // Very short, very long and unknown durations stay within CUPTI's limits.
    CHECK(periodOf({1e-9}) >= 5);
    CHECK(periodOf({1e30}) <= 31);
    CHECK(periodOf({0}) == periodOf({1e-3}));
    CHECK(periodOf({}) >= 5);
}

TEST_CASE("samples join the counters of their instruction") {
    SourcePass pass = counted(true);
    REQUIRE(mergeSamples(pass, sampled({16})).ok());
    REQUIRE(pass.instructions.size() == 3);
    CHECK(pass.instructions[1].line == 7);
    CHECK(pass.counters.value(kExecuted, 1) == 2.0);
    CHECK(pass.counters.value(kLong, 1) == 116.0);
    CHECK(pass.counters.value(kLongTwin, 1) == 90.0);
    // The not-issued counter has the same samples again, so it is not added.
    CHECK(pass.counters.value(kCount, 1) == 117.0);
    // All instructions were sampled; this one was never seen.
    CHECK(pass.counters.value(kCount, 0) == 0.0);
    CHECK(pass.counters.value(kLong, 0) == 0.0);
}

TEST_CASE("an instruction that was seen and not counted gets a row without counters") {
    SourcePass pass = counted(false);
    REQUIRE(mergeSamples(pass, sampled({24, 64})).ok());
    REQUIRE(pass.instructions.size() == 5);
    CHECK(pass.instructions[2].offset == 24);
    CHECK_FALSE(pass.counters.value(kExecuted, 2));
    CHECK(pass.counters.value(kCount, 2) == 125.0);
    CHECK(pass.counters.value(kExecuted, 3) == 3.0);
    CHECK(pass.instructions[4].offset == 64);
    CHECK(pass.counters.rows() == 5);
}

TEST_CASE("samples of other code are refused and change nothing") {
    SourcePass pass = counted(true);
    const auto merged = mergeSamples(pass, sampled({16, 20}));
    REQUIRE_FALSE(merged.ok());
    CHECK(merged.error().what.find("+0x14") != std::string::npos);
    CHECK(pass.instructions == counted(true).instructions);
    CHECK(pass.counters.names() == std::vector<std::string>{kExecuted});
}

TEST_CASE("what is seen behind a jump that is always taken counts at the jump") {
    SourcePass pass;
    for (std::uint32_t row = 0; row < 4; ++row) pass.instructions.push_back({.offset = 16 * row});
    pass.counters.addColumn(kExecuted, {8, 8, 0, 0});
    SourcePass seen;
    for (const std::uint32_t offset : {16U, 32U, 48U})
        seen.instructions.push_back({.offset = offset});
    seen.counters.addColumn(kSelected, {5, 9, 1});
    REQUIRE(mergeSamples(pass, seen).ok());
    CHECK(pass.counters.value(kSelected, 1) == 14.0);
    CHECK(pass.counters.value(kSelected, 2) == 0.0);
    CHECK(pass.counters.value(kSelected, 3) == 1.0);  // not behind an executed jump: unchanged
    CHECK(pass.counters.value(kCount, 1) == 14.0);
}

TEST_CASE("warps that have left and wait for their stores count at their EXIT") {
    constexpr const char* kDrain = "smsp__pcsamp_warps_issue_stalled_drain";
    SourcePass pass;
    const char* code[] = {"STG.E [R2], R0", "@P0 EXIT", "FADD R0, R0, R0", "EXIT", "BRA `(.L_x_0)"};
    for (std::uint32_t row = 0; row < 5; ++row)
        pass.instructions.push_back({.offset = 16 * row, .sass = code[row]});
    pass.counters.addColumn(kExecuted, {8, 8, 4, 4, std::nan("")});
    SourcePass seen;
    for (const std::uint32_t offset : {16U, 32U, 48U, 64U})
        seen.instructions.push_back({.offset = offset});
    seen.counters.addColumn(kDrain, {0, 70, 0, 300});
    seen.counters.addColumn(kSelected, {3, 5, 2, 4});
    REQUIRE(mergeSamples(pass, seen).ok());
    const auto is = [&](const char* name, std::vector<double> values) {
        for (std::size_t row = 0; row < values.size(); ++row) {
            INFO(name << ' ' << row);
            CHECK(pass.counters.value(name, row) == values[row]);
        }
    };
    is(kDrain, {0, 70, 0, 300, 0});
    is(kSelected, {0, 3, 5, 6, 0});  // the FADD was executed: its other samples are its own
    is(kCount, {0, 73, 5, 306, 0});
}

TEST_CASE("the launch of a kernel that is measured in detail is found among nodes of graphs") {
    Profile p;
    p.kernels = {{.name = "work", .symbol = "work"}, {.name = "rest", .symbol = "rest"}};
    p.processes.resize(2);
    const auto launched = [&](std::uint32_t kernel, double seconds, bool fromGraph = false,
                              std::uint32_t process = 0) {
        p.launches.push_back({.kernel = kernel,
                              .process = process,
                              .duration = Seconds{seconds},
                              .fromGraph = fromGraph});
    };
    launched(0, 5);            // row 0
    launched(0, 5, true);      // 1: a graph node, which cannot be measured but counts
    launched(1, 6, true);      // 2: only in a graph
    launched(0, 5, false, 1);  // 3: of another process, counted separately
    launched(0, 5, true);      // 4
    launched(0, 5);            // 5
    const auto targets = sourceTargets(p, {.top = 3});
    REQUIRE(targets.size() == 1);
    CHECK(targets[0].launch == 5);
    CHECK(targets[0].ordinal == 3);
    CHECK(targets[0].signature == launchSignature(p, p.launches[0]));
    CHECK(sourceTargets(p, {.pattern = "rest"}).empty());
    CHECK(sourceTargets(p, {.launches = {0}}).at(0).ordinal == 0);
}

TEST_CASE("the launch that is measured in detail does as much work as most of the time does") {
    const auto rowOf = [](std::vector<double> seconds) {
        Profile p;
        p.kernels = {{.name = "work", .symbol = "work"}};
        p.processes.resize(1);
        for (const double one : seconds)
            p.launches.push_back({.kernel = 0, .duration = Seconds{one}});
        return sourceTargets(p, {.top = 1}).at(0).launch;
    };
    CHECK(rowOf({9, 1.1, 1, 1.2, 1}) == 1);          // alike: the first that is warm
    CHECK(rowOf({9, 1, 1, 1, 20, 50, 48, 2}) == 5);  // a search that grows: not a tiny one
    CHECK(rowOf({1, 5, 5, 5, 5, 16}) == 1);          // half of the time is in launches of 5 s
    CHECK(rowOf({3}) == 0);
}
