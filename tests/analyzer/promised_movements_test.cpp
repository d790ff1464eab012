// SPDX-License-Identifier: Apache-2.0
// Rules not covered by the recorded samples: the changes they expect can be read back from a
// profile.
#include "analyzer/compare/comparison.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

/// Checks the promise of one rule against the profile on which it was made.
void readBack(const SyntheticProfile& p, std::string_view rule) {
    CAPTURE(rule);
    const Analysis a = analyze(std::make_shared<const Profile>(p.build()));
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
