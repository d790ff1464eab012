// SPDX-License-Identifier: Apache-2.0
// What rules expect their edits to move can be read back from a profile: rules that the recorded
// samples do not cover, words that say it otherwise, and substitutes for counters.
#include <utility>

#include "analyzer/compare/comparison.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

/// Checks the promise of one rule against the profile on which it was made.
void readBack(Profile profile, std::string_view rule) {
    CAPTURE(rule);
    const Analysis a = analyze(std::make_shared<const Profile>(std::move(profile)));
    bool found = false;
    for (const Promise& promise : compareKernels(a, a, {}).promises) {
        if (promise.ruleId != rule) continue;
        found = true;
        CHECK(promise.fate == Promise::Fate::Still);
        REQUIRE(promise.movements.size() == 1);
        const PromisedMovement& moved = promise.movements.front();
        REQUIRE(moved.now.has_value());
        CHECK(*moved.now == Approx(moved.expected.from));
        CHECK(moved.outcome == Outcome::Not);
    }
    CHECK(found);
}

void readBack(const SyntheticProfile& p, std::string_view rule) { readBack(p.build(), rule); }

/// The analysis with other words for what is expected to move.
Analysis reworded(Analysis analysis, const Words& words) {
    for (KernelAnalysis& kernel : analysis.kernels)
        for (Finding& finding : kernel.findings)
            for (ExpectedMovement& expected : finding.expected) expected.counter = words;
    return analysis;
}

/// The profile with another name for a counter.
Profile renamed(Profile profile, std::string_view counter, const std::string& name) {
    CounterTable table(profile.counters.rows());
    for (const std::string& known : profile.counters.names())
        table.addColumn(known == counter ? name : known, profile.counters.column(known).all());
    profile.counters = std::move(table);
    return profile;
}

LaunchRef filledProfile(SyntheticProfile& p) {
    return idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100);
}

}  // namespace

TEST_CASE("promises of rules on pipes and stalls are read back") {
    SyntheticProfile special(testDevice()), integer(testDevice());
    filledProfile(special).set(kSpecialFunctionPipe, 70);
    readBack(special, "special-functions");
    filledProfile(integer).set(kIntegerPipe, 70);
    readBack(integer, "integer-arithmetic");

    Device weak = testDevice();
    weak.peaks[std::string(kFp64Peak)] = weak.peaks[std::string(kFp32Peak)] / 64;
    SyntheticProfile fp64(weak);
    filledProfile(fp64).set(kFp64Fma, 0.9 * 16896 / 64 * 100e-6 * SyntheticProfile::kSmClockHz);
    readBack(fp64, "fp64-on-weak-fp64");

    SyntheticProfile stalled(testDevice());
    const ChipTable chip = chipTable("GH100").value();
    filledProfile(stalled)
        .setAll(chip.groups.at("stalls").counters, 1)
        .set(stallCounter("wait"), 30);
    readBack(stalled, "dominant-stall");
}

TEST_CASE("promises of rules on DRAM bandwidth are read back") {
    SyntheticProfile p(testDevice());
    constexpr double kBytes = 1 << 30;
    auto launch = idle(p, "sum(float const*, float*)", {4224, 1, 1}, {128, 1, 1}, 600);
    launch.set("dram__bytes_read.sum", kBytes).set("lts__lts2xbar_cycles_active.sum", kBytes / 32);
    launch.set(kGlobalLoadBytes, kBytes).set(kGlobalLoadSectors, kBytes / 32);
    launch.set(kGlobalSectors, kBytes / 32).set(kGlobalLoads, kBytes / 512);
    launch.set(kWidth128, kBytes / 512).residentBlocksPerSm(2);
    readBack(p, "bytes-in-flight");
}

TEST_CASE("promises are checked whatever the words are that name what moves") {
    std::size_t seen = 0, cameTrue = 0;
    for (const char* file : {"h200_bundled", "h200_torch_triton"}) {
        const Analysis& before = recorded(file);
        const Analysis changed = reworded(before, Words("lines that were loaded twice")),
                       chinese = reworded(before, Words::same("重复加载的行"));
        for (std::size_t i = 0; i < before.kernels.size(); ++i) {
            const KernelMatch pair{.baseline = i, .candidate = (i + 1) % before.kernels.size()};
            const auto expected = compareKernels(before, before, pair).promises;
            for (const Analysis* other : {&changed, &chinese}) {
                const auto promises = compareKernels(*other, before, pair).promises;
                REQUIRE(promises.size() == expected.size());
                for (std::size_t k = 0; k < promises.size(); ++k) {
                    CAPTURE(file, promises[k].ruleId);
                    CHECK(promises[k].outcome == expected[k].outcome);
                    CHECK(promises[k].fate == expected[k].fate);
                    REQUIRE(promises[k].movements.size() == expected[k].movements.size());
                    for (std::size_t m = 0; m < promises[k].movements.size(); ++m) {
                        CHECK(promises[k].movements[m].now == expected[k].movements[m].now);
                        CHECK(promises[k].movements[m].missing == expected[k].movements[m].missing);
                        seen += promises[k].movements[m].now.has_value();
                        cameTrue += promises[k].movements[m].outcome == Outcome::CameTrue;
                    }
                }
            }
        }
    }
    CHECK(seen > 50);
    CHECK(cameTrue > 10);
}

TEST_CASE("a promise is read back where the profile has a substitute for its counter") {
    SyntheticProfile p(testDevice());
    constexpr double kWarps = 1e7;
    filledProfile(p)
        .set(kWarpInstructions, kWarps)
        .set(kThreadInstructions, 4 * kWarps)
        .set(kThreadInstructionsOn, 4 * kWarps)
        .set(kIssueActive, 98);
    readBack(p, "idle-lanes");
    readBack(renamed(p.build(), kThreadInstructions, "thread_inst_executed"), "idle-lanes");
}
