// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "collector/inject/launches/count_choice.h"
#include "collector/inject/launches/launch_filter.h"

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

/// Whether a launch is recorded: asks everything in the order of the injected library.
bool recorded(LaunchFilter& filter, const std::string& kernel,
              const std::vector<std::string>& ranges, std::uint32_t device) {
    static std::map<std::string, std::uint32_t> ids;
    const auto id = ids.try_emplace(kernel, static_cast<std::uint32_t>(ids.size())).first->second;
    return filter.active() && filter.wantsDevice(device) && filter.wantsRanges(ranges) &&
           filter.wantsKernel(id, kernel) && filter.takesNext();
}

/// Which of the launches 0 … n-1 of one kernel are counted.
std::vector<int> counted(const CountersMode& mode, int n) {
    CountChoice choice(mode);
    std::vector<int> list;
    for (int i = 0; i < n; ++i)
        if (choice.counts(7)) list.push_back(i);
    return list;
}

}  // namespace

TEST_CASE("without configuration every launch is recorded and counted") {
    LaunchFilter all{LaunchSelection{}};
    CHECK(recorded(all, "k", {}, 0));
    CHECK(counted({}, 3) == std::vector<int>{0, 1, 2});
}

TEST_CASE("a kernel's name is searched for the expression") {
    LaunchFilter choice(LaunchSelection{.kernel = "gemm|soft.*max"});
    CHECK(choice.problem().empty());
    CHECK(recorded(choice, "void cutlass_gemm<1>()", {}, 0));
    CHECK(recorded(choice, "cunn_SoftMax softmax", {}, 0));
    CHECK_FALSE(recorded(choice, "copy", {}, 0));
    CHECK_FALSE(LaunchFilter(LaunchSelection{.kernel = "("}).problem().empty());
}

TEST_CASE("a kernel is chosen by its base name, too") {
    LaunchFilter choice(LaunchSelection{.kernel = "^chase$"});
    CHECK(choice.wantsKernel(1, "chase(Data)"));
    CHECK(choice.wantsKernel(2, "void ns::chase<4>(Data)"));
    CHECK_FALSE(choice.wantsKernel(3, "chaser(Data)"));
}

TEST_CASE("an answer about one kernel is not used for another one") {
    LaunchFilter choice(LaunchSelection{.kernel = "gemm"});
    CHECK(choice.wantsKernel(7, "gemm"));
    CHECK_FALSE(choice.wantsKernel(2, "copy"));
    CHECK(choice.wantsKernel(3, "gemm2"));
    CHECK(choice.wantsKernel(7, "gemm"));
    CHECK_FALSE(choice.wantsKernel(2, "copy"));
}

TEST_CASE("a range anywhere on the stack counts, as a glob") {
    LaunchFilter choice(LaunchSelection{.ranges = {"decode*", "prefill"}});
    CHECK(recorded(choice, "k", {"step", "decode 7", "attention"}, 0));
    CHECK(recorded(choice, "k", {"prefill"}, 0));
    CHECK_FALSE(recorded(choice, "k", {"step"}, 0));
    CHECK_FALSE(recorded(choice, "k", {}, 0));
}

TEST_CASE("launches within an excluded range stay out, however deep") {
    LaunchFilter choice(LaunchSelection{.ranges = {"step"}, .notRanges = {"warm*"}});
    CHECK(recorded(choice, "k", {"step"}, 0));
    CHECK_FALSE(recorded(choice, "k", {"step", "warm-up", "layer"}, 0));
    CHECK_FALSE(recorded(choice, "k", {"warm-up", "step"}, 0));
}

TEST_CASE("autotuning stays out unless it is asked for") {
    const std::vector<std::string> tuning{"step", kAutotuningRange};
    LaunchFilter usual{LaunchSelection{}};
    CHECK_FALSE(recorded(usual, "k", tuning, 0));
    CHECK(recorded(usual, "k", {"step"}, 0));
    LaunchFilter keeping(LaunchSelection{.autotuning = true});
    CHECK(recorded(keeping, "k", tuning, 0));
}

TEST_CASE("skip and count apply to the launches that match") {
    LaunchFilter choice(LaunchSelection{.kernel = "a", .skip = 1, .count = 2});
    std::string seen;
    for (const char* name : {"a", "b", "a", "b", "a", "a"})
        seen += recorded(choice, name, {}, 0) ? '1' : '0';
    CHECK(seen == "001010");
}

TEST_CASE("devices, and cudaProfilerStart and Stop") {
    LaunchFilter choice(LaunchSelection{.devices = {1}, .fromStart = false});
    CHECK_FALSE(recorded(choice, "k", {}, 1));
    choice.setActive(true);
    CHECK(recorded(choice, "k", {}, 1));
    CHECK_FALSE(recorded(choice, "k", {}, 0));
    choice.setActive(false);
    CHECK_FALSE(recorded(choice, "k", {}, 1));
}

TEST_CASE("per kernel: the picks of a signature, otherwise its first launches") {
    const LaunchPicks of7{{7, {1, 3}}}, of8{{8, {1, 3}}};
    CHECK(counted({.perKernel = 2, .picks = of7}, 5) == std::vector<int>{1, 3});
    CHECK(counted({.perKernel = 2, .picks = of8}, 5) == std::vector<int>{0, 1});
    // Unless only the picks are wanted.
    CHECK(counted({.perKernel = 2, .picks = of7, .onlyPicks = true}, 5) == std::vector<int>{1, 3});
    CHECK(counted({.perKernel = 2, .picks = of8, .onlyPicks = true}, 5).empty());
}

TEST_CASE("one launch of each signature is counted where counting takes long") {
    using namespace std::chrono_literals;
    const CountersMode mode{.perKernel = 3, .countOneIfCostly = true};
    const auto countedOf = [&](CountingCost::Duration each) {
        CountChoice choice(mode);
        int launches = 0;
        for (int i = 0; i < 5; ++i)
            for (std::uint64_t signature = 1; signature <= 20; ++signature) {
                if (!choice.counts(signature)) continue;
                ++launches;
                choice.counted(signature,
                               i == 0 && signature == 1 ? 600ms : each);  // the first: with set-up
            }
        return launches;
    };
    CHECK(countedOf(15ms) == 60);
    CHECK(countedOf(30ms) == 20);
    CHECK(countedOf(100ms) == 20);
    // A launch that could not be counted leaves its turn to the next one.
    CountChoice tried(mode);
    for (int i = 0; i < 6; ++i) tried.counted(9, 100ms);
    CHECK(tried.counts(7));
    CHECK(tried.counts(7));
    tried.counted(7, 100ms);
    CHECK_FALSE(tried.counts(7));
    CountChoice asked(CountersMode{.perKernel = 3});
    for (int i = 0; i < 3; ++i) {
        CHECK(asked.counts(7));
        asked.counted(7, 100ms);
    }
}

TEST_CASE("a configuration is read back as written; damaged and missing files are errors") {
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
    const auto timing = std::get<TimingMode>(back(TimingMode{.serial = true,
                                                             .timeline = TimelineDetail::Gpu,
                                                             .cpuSamples = false,
                                                             .ranges = {"step*"}}));
    CHECK(timing.serial);
    CHECK(timing.timeline == TimelineDetail::Gpu);
    CHECK_FALSE(timing.cpuSamples);
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

TEST_CASE("picked launches of several signatures are recognised") {
    PickedLaunches picked({{7, {1}}, {8, {0}}});
    CHECK_FALSE(picked.takesNext(7));
    CHECK(picked.takesNext(8));
    CHECK(picked.takesNext(7));
    CHECK_FALSE(picked.takesNext(7));
    CHECK_FALSE(picked.takesNext(9));
}
