// SPDX-License-Identifier: Apache-2.0
// same-address-atomics, with the figures of a kernel that gives each of ten million vertices to the
// six bounds of its object, which whole warps share (H200).
#include <limits>
#include <string>
#include <utility>

#include "analyzer/counters/counter_names.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kSameAddress = "same-address-atomics";
/// Sectors that the L2 can return in 10.6 ms, about.
constexpr double kReturnsAtPeak = 3.4e9;

LaunchRef bounds(SyntheticProfile& p) {
    constexpr double kWarps = 312'504;
    auto launch = idle(p, "bounds", {39063, 1, 1}, {256, 1, 1}, 10'630);
    launch.set(kGlobalInstructions, 10 * kWarps).set(kGlobalLoads, 4 * kWarps);
    launch.set(kGlobalBytes, 167.5e6).set(kGlobalLoadBytes, 160e6);
    launch.set(kGlobalLoadSectors, 40e6).set(kGlobalSectors, 41.9e6);
    launch.set(kWarpInstructions, 30 * kWarps).set(kThreadInstructionsOn, 260.2e6);
    launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0);
    for (const auto& [reason, warps] : {std::pair("lg_throttle", 6523.0),
                                        {"mio_throttle", 3795.0},
                                        {"drain", 1722.0},
                                        {"long_scoreboard", 1605.0},
                                        {"short_scoreboard", 1159.0}})
        launch.set(
            std::string("smsp__average_warps_issue_stalled_") + reason + "_per_issue_active.ratio",
            warps);
    return launch;
}

template <class Change>
bool fires(const Change& change) {
    SyntheticProfile p(testDevice());
    auto launch = bounds(p);
    change(launch);
    return find(analyzeOne(p), kSameAddress) != nullptr;
}

}  // namespace

TEST_CASE("same-address-atomics takes the time of the queue that its atomics fill") {
    SyntheticProfile p(testDevice());
    bounds(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kSameAddress);
    REQUIRE(finding);
    // 32 lanes less those that were off in the whole kernel, 4 bytes for an atomic.
    CHECK(finding->evidence[0].value == Approx(10.8).epsilon(0.01));
    CHECK(finding->gainShare->value == Approx(0.814).epsilon(0.01));
    CHECK(unfilled(kernel).empty());
    // The loads' excess sectors take no time beside it.
    CHECK_FALSE(find(kernel, "global-uncoalesced"));
    CHECK(kernel.findings[0].ruleId == kSameAddress);
}

TEST_CASE("same-address-atomics is silent where lanes or time do not show it") {
    CHECK(fires([](LaunchRef&) {}));
    // Each lane has an address of its own.
    CHECK_FALSE(fires([](LaunchRef& launch) { launch.set(kGlobalBytes, 160e6 + 240e6); }));
    // One lane was elected: most lanes are off in the kernel.
    CHECK_FALSE(fires([](LaunchRef& launch) { launch.set(kThreadInstructionsOn, 240e6); }));
    // Asynchronous copies, whose bytes are not known.
    CHECK_FALSE(fires([](LaunchRef& launch) { launch.set(kAsyncCopies, 1e5); }));
    // The L1 is busy with the loads.
    CHECK_FALSE(fires([](LaunchRef& launch) { launch.set(kLsuPipe, 50); }));
    // Warps wait for data, as a reduction does between its atomics.
    CHECK_FALSE(fires([](LaunchRef& launch) {
        launch.set("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                   60'000);
    }));
    // Long kernels have counters of the hardware only. The L2 took all lanes of 1.9 million
    // atomics.
    const auto byUnits = [](double lanes, double busiest, double activeSms = 1, double l2 = 0.1) {
        return fires([&](LaunchRef& launch) {
            launch.set(kGlobalInstructions, std::numeric_limits<double>::quiet_NaN());
            launch.set(kAtomicCycles, lanes * 1.875e6).set(kReductionRequests, 1.875e6);
            launch.set(kAtomicRequests, 0).set(kAtomicCyclesMax, busiest * 18.5e6);
            launch.set(kAtomicCyclesAvg, 638e3).set(kL2CyclesMax, 18.5e6);
            launch.set(kSmCyclesElapsed, 21e6).set(kSmCyclesActiveAvg, activeSms * 21e6);
            launch.set(kL2ReadReturns, l2 * kReturnsAtPeak);
        });
    };
    CHECK(byUnits(32, 0.07));
    CHECK_FALSE(byUnits(1, 0.07));           // one lane was elected
    CHECK_FALSE(byUnits(32, 0.8));           // atomic-contention tells it
    CHECK_FALSE(byUnits(32, 0.07, 0.5));     // few SMs have work
    CHECK_FALSE(byUnits(32, 0.07, 1, 0.3));  // the L2 is busy with something
    // The queue before that of accesses is also that of shared memory.
    SyntheticProfile p(testDevice());
    bounds(p).set(kSharedInstructions, 1e5);
    const Finding* finding = find(analyzeOne(p), kSameAddress);
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(0.557).epsilon(0.01));
}
