// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_choice.h"

#include <map>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

/// All questions about one launch, as the injected library asks them.
Choice choose(LaunchChoice& choice, const std::string& kernel, std::uint64_t signature,
              const std::vector<std::string>& ranges, std::uint32_t device) {
    static std::map<std::string, std::uint32_t> ids;
    const auto id = ids.try_emplace(kernel, static_cast<std::uint32_t>(ids.size())).first->second;
    if (!choice.active() || !choice.wantsDevice(device) || !choice.wantsRanges(ranges) ||
        !choice.wantsKernel(id, kernel))
        return {};
    return choice.choose(signature);
}

/// Which of launches 0 … n-1 of one kernel are counted.
std::vector<int> counted(const RunConfiguration& configuration, int n) {
    LaunchChoice choice(configuration);
    std::vector<int> list;
    for (int i = 0; i < n; ++i)
        if (choose(choice, "k", 7, {}, 0).counted) list.push_back(i);
    return list;
}

}  // namespace

TEST_CASE("without configuration every launch is recorded and counted") {
    CHECK(counted({}, 3) == std::vector<int>{0, 1, 2});
}

TEST_CASE("a kernel's name is searched for the expression") {
    LaunchChoice choice(RunConfiguration{.selection = {.kernel = "gemm|soft.*max"}});
    CHECK(choice.problem().empty());
    CHECK(choose(choice, "void cutlass_gemm<1>()", 1, {}, 0).recorded);
    CHECK(choose(choice, "cunn_SoftMax softmax", 2, {}, 0).recorded);
    CHECK_FALSE(choose(choice, "copy", 3, {}, 0).recorded);
    CHECK_FALSE(LaunchChoice(RunConfiguration{.selection = {.kernel = "("}}).problem().empty());
}

TEST_CASE("a kernel is chosen by its base name, too") {
    LaunchChoice choice(RunConfiguration{.selection = {.kernel = "^chase$"}});
    CHECK(choice.wantsKernel(1, "chase(Data)"));
    CHECK(choice.wantsKernel(2, "void ns::chase<4>(Data)"));
    CHECK_FALSE(choice.wantsKernel(3, "chaser(Data)"));
}

TEST_CASE("what is found out about one kernel is not taken for another's") {
    LaunchChoice choice(RunConfiguration{.selection = {.kernel = "gemm"}});
    CHECK(choice.wantsKernel(7, "gemm"));
    CHECK_FALSE(choice.wantsKernel(2, "copy"));
    CHECK(choice.wantsKernel(3, "gemm2"));
    CHECK(choice.wantsKernel(7, "gemm"));
    CHECK_FALSE(choice.wantsKernel(2, "copy"));
}

TEST_CASE("a range anywhere on the stack counts, as a glob") {
    LaunchChoice choice(RunConfiguration{.selection = {.ranges = {"decode*", "prefill"}}});
    CHECK(choose(choice, "k", 1, {"step", "decode 7", "attention"}, 0).recorded);
    CHECK(choose(choice, "k", 1, {"prefill"}, 0).recorded);
    CHECK_FALSE(choose(choice, "k", 1, {"step"}, 0).recorded);
    CHECK_FALSE(choose(choice, "k", 1, {}, 0).recorded);
}

TEST_CASE("launches within an excluded range stay out, however deep") {
    LaunchChoice choice(
        RunConfiguration{.selection = {.ranges = {"step"}, .notRanges = {"warm*"}}});
    CHECK(choose(choice, "k", 1, {"step"}, 0).recorded);
    CHECK_FALSE(choose(choice, "k", 1, {"step", "warm-up", "layer"}, 0).recorded);
    CHECK_FALSE(choose(choice, "k", 1, {"warm-up", "step"}, 0).recorded);
}

TEST_CASE("autotuning stays out unless it is asked for") {
    const std::vector<std::string> tuning{"step", kAutotuningRange};
    LaunchChoice usual(RunConfiguration{});
    CHECK_FALSE(choose(usual, "k", 1, tuning, 0).recorded);
    CHECK(choose(usual, "k", 1, {"step"}, 0).recorded);
    LaunchChoice keeping(RunConfiguration{.selection = {.autotuning = true}});
    CHECK(choose(keeping, "k", 1, tuning, 0).recorded);
}

TEST_CASE("skip and count apply to the launches that match") {
    LaunchChoice choice(RunConfiguration{.selection = {.kernel = "a", .skip = 1, .count = 2}});
    std::string seen;
    for (const char* name : {"a", "b", "a", "b", "a", "a"})
        seen += choose(choice, name, 1, {}, 0).recorded ? '1' : '0';
    CHECK(seen == "001010");
}

TEST_CASE("devices, and cudaProfilerStart and Stop") {
    LaunchChoice choice(RunConfiguration{.selection = {.devices = {1}, .fromStart = false}});
    CHECK_FALSE(choose(choice, "k", 1, {}, 1).recorded);
    choice.setActive(true);
    CHECK(choose(choice, "k", 1, {}, 1).recorded);
    CHECK_FALSE(choose(choice, "k", 1, {}, 0).recorded);
    choice.setActive(false);
    CHECK_FALSE(choose(choice, "k", 1, {}, 1).recorded);
}

TEST_CASE("per kernel: the picks of a signature, otherwise its first launches") {
    CHECK(counted({.mode = CountersMode{.perKernel = 2, .picks = {{7, {1, 3}}}}}, 5) ==
          std::vector<int>{1, 3});
    CHECK(counted({.mode = CountersMode{.perKernel = 2, .picks = {{8, {1, 3}}}}}, 5) ==
          std::vector<int>{0, 1});
    // Unless nothing else is wanted.
    CHECK(counted({.mode = CountersMode{.perKernel = 2, .picks = {{7, {1, 3}}}, .onlyPicks = true}},
                  5) == std::vector<int>{1, 3});
    CHECK(counted({.mode = CountersMode{.perKernel = 2, .picks = {{8, {1, 3}}}, .onlyPicks = true}},
                  5)
              .empty());
    CHECK(counted({.mode = TimingMode{}}, 5).empty());
}

TEST_CASE("one launch of each signature is counted where counting takes long") {
    using namespace std::chrono_literals;
    const RunConfiguration configuration{
        .mode = CountersMode{.perKernel = 3, .countOneIfCostly = true}};
    const auto countedOf = [&](CountingCost::Duration each) {
        LaunchChoice choice(configuration);
        int launches = 0;
        for (int i = 0; i < 5; ++i)
            for (std::uint64_t signature = 1; signature <= 20; ++signature) {
                if (!choose(choice, "k", signature, {}, 0).counted) continue;
                ++launches;
                choice.counted(signature,
                               i == 0 && signature == 1 ? 600ms : each);  // the first sets up
            }
        return launches;
    };
    CHECK(countedOf(15ms) == 60);
    CHECK(countedOf(100ms) == 20);
    // A launch that could not be counted after all leaves that to the next.
    LaunchChoice tried(configuration);
    for (int i = 0; i < 6; ++i) tried.counted(9, 100ms);
    CHECK(tried.choose(7).counted);
    CHECK(tried.choose(7).counted);
    tried.counted(7, 100ms);
    CHECK_FALSE(tried.choose(7).counted);
    LaunchChoice asked(RunConfiguration{.mode = CountersMode{.perKernel = 3}});
    for (int i = 0; i < 3; ++i) {
        CHECK(asked.choose(7).counted);
        asked.counted(7, 100ms);
    }
}

TEST_CASE("configuration survive the file; damaged and absent ones are an error") {
    const test::TemporaryFolder folder;
    const auto absent = readRunConfiguration(folder.path());
    REQUIRE_FALSE(absent.ok());
    CHECK(absent.error().code == ErrorCode::NoInput);
    const CountersMode mode{.replay = CountersMode::Replay::Multiplex,
                            .groups = {"a", "b"},
                            .counters = {"c.sum"},
                            .passGroups = {{"d.sum", "e.sum"}, {"f.sum"}},
                            .perKernel = 5,
                            .countOneIfCostly = true,
                            .picks = {{~0ULL, {1, 2}}},
                            .onlyPicks = true};
    const RunConfiguration configuration{.mode = mode,
                                         .selection = {.kernel = "x\"y",
                                                       .ranges = {"r"},
                                                       .notRanges = {"n*"},
                                                       .autotuning = true,
                                                       .devices = {2},
                                                       .skip = 3,
                                                       .count = 4,
                                                       .fromStart = false},
                                         .tuningFolder = "t",
                                         .flushCaches = true};
    REQUIRE(writeRunConfiguration(configuration, folder.path()).ok());
    const auto read = readRunConfiguration(folder.path());
    REQUIRE(read.ok());
    const auto& readMode = std::get<CountersMode>(read->mode);
    CHECK(readMode.replay == mode.replay);
    CHECK(readMode.groups == mode.groups);
    CHECK(readMode.counters == mode.counters);
    CHECK(readMode.passGroups == mode.passGroups);
    CHECK(readMode.perKernel == 5);
    CHECK(readMode.countOneIfCostly);
    CHECK(readMode.picks == mode.picks);
    CHECK(readMode.onlyPicks);
    CHECK(read->selection.kernel == configuration.selection.kernel);
    CHECK(read->selection.ranges == configuration.selection.ranges);
    CHECK(read->selection.notRanges == configuration.selection.notRanges);
    CHECK(read->selection.autotuning);
    CHECK(read->selection.devices == configuration.selection.devices);
    CHECK(read->selection.skip == 3);
    CHECK(read->selection.count == 4U);
    CHECK_FALSE(read->selection.fromStart);
    CHECK(read->tuningFolder == "t");
    CHECK(read->flushCaches);
    std::ofstream(folder.file(kRunConfigurationFile)) << "{\"timing\":";
    const auto damaged = readRunConfiguration(folder.path());
    REQUIRE_FALSE(damaged.ok());
    CHECK(damaged.error().code != ErrorCode::NoInput);
}

TEST_CASE("each mode of a run comes back as itself") {
    const test::TemporaryFolder folder;
    const auto back = [&](RunConfiguration::Mode mode) {
        REQUIRE(writeRunConfiguration({.mode = std::move(mode)}, folder.path()).ok());
        auto read = readRunConfiguration(folder.path());
        REQUIRE(read.ok());
        return read->mode;
    };
    const auto timing =
        std::get<TimingMode>(back(TimingMode{true, TimelineDetail::Gpu, {"step*"}}));
    CHECK(timing.serial);
    CHECK(timing.timeline == TimelineDetail::Gpu);
    CHECK(timing.ranges == std::vector<std::string>{"step*"});
    const auto first = std::get<CountFirstMode>(
        back(CountFirstMode{.counting = {.perKernel = 3}, .timing = timing, .leastStart = 7}));
    CHECK(first.counting.perKernel == 3);
    CHECK(first.timing.serial);
    CHECK(first.leastStart == 7);
    const auto source = std::get<SourceMode>(back(SourceMode{.signature = ~0ULL, .ordinal = 2}));
    CHECK(source.signature == ~0ULL);
    CHECK(source.ordinal == 2);
    const LaunchPicks picks{{7, {1}}, {8, {0, 4}}};
    const auto stalls = std::get<StallsMode>(back(StallsMode{picks, 9}));
    CHECK(stalls.picks == picks);
    CHECK(stalls.samplingPeriod == 9);
    const auto overTime = std::get<OverTimeMode>(back(OverTimeMode{picks, {{7, 500}}}));
    CHECK(overTime.picks == picks);
    CHECK(overTime.intervals.at(7) == 500);
    const auto ranges = std::get<RangesMode>(back(RangesMode{{"layer*"}, 1, {"c.sum"}}));
    CHECK(ranges.ranges == std::vector<std::string>{"layer*"});
    CHECK(ranges.depth == 1);
    CHECK(ranges.counters == std::vector<std::string>{"c.sum"});
}

TEST_CASE("a signature depends on everything that makes launches alike, and on nothing else") {
    const Launch shape{.grid = {4, 1, 1}, .block = {32, 1, 1}};
    const auto base = launchSignature("k", shape, "r");
    Launch other = shape;
    other.stream = 3;
    other.process = 2;
    CHECK(launchSignature("k", other, "r") == base);
    other.grid.y = 2;
    CHECK(launchSignature("k", other, "r") != base);
    CHECK(launchSignature("k2", shape, "r") != base);
    CHECK(launchSignature("k", shape, "") != base);
    CHECK(launchSignature("kr", shape, "") != launchSignature("k", shape, "r"));
    CHECK(launchSignature(kernelSignature("k"), shape, "r") == base);
}

TEST_CASE("a run for stall samples takes the picked launches of several signatures") {
    LaunchChoice choice(RunConfiguration{.mode = StallsMode{.picks = {{7, {1}}, {8, {0}}}}});
    CHECK(choice.bySignature());
    CHECK_FALSE(choose(choice, "a", 7, {}, 0).recorded);
    CHECK(choose(choice, "b", 8, {}, 0).counted);
    CHECK(choose(choice, "a", 7, {}, 0).counted);
    CHECK_FALSE(choose(choice, "a", 7, {}, 0).recorded);
    CHECK_FALSE(choose(choice, "c", 9, {}, 0).recorded);
}
