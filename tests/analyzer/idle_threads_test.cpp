// SPDX-License-Identifier: Apache-2.0
// idle-threads: grids of which nearly no thread has anything to do.
#include <string>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kIdleThreads = "idle-threads";

/// add_wavelet of a wave equation: 4096 × 4096 threads, of which one adds the source's value.
LaunchRef addSource(SyntheticProfile& p) {
    auto launch = idle(p, "add_wavelet(float*, float, int)", {128, 128, 1}, {32, 32, 1}, 23.8);
    constexpr double kWarps = 128.0 * 128 * 32;
    launch.set(kWarpInstructions, 15 * kWarps).set(kThreadInstructions, 15 * 32 * kWarps);
    launch.set(kGlobalInstructions, 3).set(kGlobalLoads, 2).set(kGlobalStores, 1);
    return launch.set(kL2ReadReturns, 1747);
}

template <class Change>
bool firesWith(const Change& change) {
    SyntheticProfile p(testDevice());
    LaunchRef launch = addSource(p);
    change(launch);
    return find(analyzeOne(p), kIdleThreads) != nullptr;
}

}  // namespace

TEST_CASE("idle-threads fires where one thread of millions works") {
    SyntheticProfile p(testDevice());
    addSource(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kIdleThreads);
    REQUIRE(finding);
    CHECK(finding == &kernel.findings.front());
    CHECK(finding->gain->value == Approx(23.8e-6 - 2e-6));
    CHECK(finding->evidence.at(0).value == Approx(3.0 / 524288));
    CHECK(finding->evidence.at(1).value == Approx(15));
    CHECK(unfilled(kernel).empty());
}

TEST_CASE("idle-threads is silent where threads have work") {
    constexpr double kWarps = 128.0 * 128 * 32;
    CHECK(firesWith([](LaunchRef&) {}));
    // Each thread checks whether its element is in use.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kGlobalInstructions, kWarps); }));
    // A computation whose block writes one number.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kWarpInstructions, 30 * kWarps); }));
    // Textures: their bytes pass the L2.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kL2ReadReturns, 4 * kWarps); }));
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kSharedInstructions, kWarps); }));
    // An empty kernel, such as one that warms up.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kGlobalInstructions, 0); }));
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.durationUs(3); }));
}

TEST_CASE("idle-threads is silent where some launches have work") {
    const auto firesWithLast = [](double accesses) {
        SyntheticProfile p(testDevice());
        for (int i = 0; i < 40; ++i) addSource(p);
        addSource(p).set(kGlobalInstructions, accesses);
        for (Launch& launch : p.profile().launches) launch.kernel = 0;
        return find(analyzeOne(p), kIdleThreads) != nullptr;
    };
    CHECK(firesWithLast(3));
    CHECK_FALSE(firesWithLast(128.0 * 128 * 32));  // the mean is still 1 in 41
}

TEST_CASE("idle-threads says nothing without counters") {
    SyntheticProfile p(testDevice());
    p.launch(p.kernel("add_wavelet"), {128, 128, 1}, {32, 32, 1}).durationUs(23.8);
    CHECK_FALSE(find(analyzeOne(p), kIdleThreads));
}
