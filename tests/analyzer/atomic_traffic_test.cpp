// SPDX-License-Identifier: Apache-2.0
// The rule atomic-traffic, with the figures of CUB's histogram of a black image of 33 million
// uchar4 pixels in global memory, measured on an H200.
#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kTraffic = "atomic-traffic";

/// `atomics`: sectors; `tags`: share of the L2's look-ups in use.
LaunchRef histogram(SyntheticProfile& p, double atomics, double tags) {
    constexpr double kReads = 6'212'219, kWrites = 38'645, kTagRequests = 151'468'066;
    return idle(p, "histogram", {16, 16, 1}, {32, 4, 1}, 1560)
        .set(kL2SectorsOfSms, kReads + kWrites + atomics)
        .set(kL2ReadSectors, kReads)
        .set(kL2WriteSectors, kWrites)
        .set(kL2TagUse, 100 * tags)
        .set(kL2TagRequests, kTagRequests)
        .set(kL2Sectors, 1.03 * kTagRequests);
}

}  // namespace

TEST_CASE("atomic-traffic takes the place of l2-tag-bound where atomics are the requests") {
    SyntheticProfile p(testDevice());
    histogram(p, 97.4e6, 0.629);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kTraffic);
    REQUIRE(finding);
    CHECK_FALSE(find(kernel, "l2-tag-bound"));
    CHECK_FALSE(finding->minor);
    CHECK_FALSE(finding->estimate);  // a bound
    CHECK(unfilled(kernel).empty());
    CHECK(finding->evidence[0].value == Approx(97.4e6 / (97.4e6 + 6'212'219 + 38'645)));
    // The same with the table in shared memory took 405 of 1,560 us: the bound must hold.
    CHECK(finding->gainShare->value > 1 - 405.0 / 1560);
    CHECK(finding->gainShare->value < 0.97);
}

TEST_CASE("atomic-traffic is silent where others fill the L2, or nothing does") {
    struct Case {
        double atomics, tags;
        bool tagBound;
    };
    for (const Case& c : {Case{5e6, 0.629, true},       // loads of single sectors
                          Case{97.4e6, 0.5, false}}) {  // the L2 has time left
        SyntheticProfile p(testDevice());
        histogram(p, c.atomics, c.tags);
        const auto kernel = analyzeOne(p);
        CHECK_FALSE(find(kernel, kTraffic));
        CHECK((find(kernel, "l2-tag-bound") != nullptr) == c.tagBound);
    }
    // Few addresses are told by atomic-contention.
    SyntheticProfile p(testDevice());
    histogram(p, 97.4e6, 0.629)
        .set(kAtomicCyclesMax, 2.2e6)
        .set(kAtomicCyclesAvg, 0.1e6)
        .set(kL2CyclesMax, 2.6e6);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kTraffic));
    CHECK(find(kernel, "atomic-contention"));
}

TEST_CASE("atomic-traffic and redundant-write know atomics by the kernel's accesses") {
    // The gridding of 4 million visibilities on an H200: 64 atomics each, 4.66 ms.
    const auto gridding = [](double loadSectors, double atomics) {
        constexpr double kLoads = 2'322'432, kAll = 18'837'504, kSectors = 193.5e6;
        SyntheticProfile p(testDevice());
        idle(p, "grid", {16128, 1, 1}, {256, 1, 1}, 4657)
            .set(kL2Arrivals, 564e6)
            .set(kL2ReadReturns, 2e6)
            .set("dram__bytes_write.sum", 27.3e6)
            .set(kGlobalInstructions, kAll)
            .set(kGlobalLoads, kLoads)
            .set(kGlobalStores, (1 - atomics) * kAll - kLoads)
            .set(kAsyncCopies, 0)
            .set(kGlobalSectors, kSectors)
            .set(kGlobalLoadSectors, loadSectors)
            .set(kGlobalStoreSectors, 0);
        return analyzeOne(p);
    };
    const auto kernel = gridding(31.2e6, 0.85);
    const Finding* finding = find(kernel, kTraffic);
    REQUIRE(finding);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->estimate);
    CHECK(finding->evidence[0].value == Approx(1 - 31.2 / 193.5));
    CHECK(finding->expected[0].to == Approx(31.2 / 193.5 * 564e6));
    CHECK_FALSE(find(kernel, "redundant-write"));
    // One lane of each warp adds up: half of the instructions, and a few sectors.
    CHECK_FALSE(find(gridding(180e6, 0.5), kTraffic));
    CHECK_FALSE(find(gridding(31.2e6, 0), kTraffic));
}
