// SPDX-License-Identifier: Apache-2.0
// The rule redundant-write, on a kernel that was recorded on an H200: blocks that keep their state
// in global memory and change it in each of many steps.
#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kRule = "redundant-write";
constexpr const char* kDramWrite = "dram__bytes_write.sum";

/// 458 ms of which the L2 accepts something in 78 %; counters of the hardware only, as a launch of
/// that length has them.
LaunchRef states(SyntheticProfile& p) {
    auto launch = idle(p, "states", {154702, 1, 1}, {256, 1, 1}, 456819);
    launch.set(kL2Arrivals, 58345734431).set(kL2ReadReturns, 11162408555);
    launch.set("dram__bytes_read.sum", 500086784).set(kDramWrite, 761916928);
    for (const std::string_view instrumented :
         {kGlobalSectors, kGlobalLoadSectors, kGlobalStoreSectors, kLocalSectors, kGlobalLoadBytes,
          kGlobalStoreBytes})
        launch.set(instrumented, std::numeric_limits<double>::quiet_NaN());
    return launch;
}

template <class Change>
bool firesWith(const Change& change) {
    SyntheticProfile p(testDevice());
    LaunchRef launch = states(p);
    change(launch);
    return find(analyzeOne(p), kRule) != nullptr;
}

}  // namespace

TEST_CASE("redundant-write fires where little memory takes all stores") {
    SyntheticProfile p(testDevice());
    states(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    constexpr double kStored = 58345734431.0 - 11162408555.0;
    CHECK(finding->evidence.at(0).value == Approx(kStored * 32 / (62914560.0 + 761916928)));
    CHECK(finding->evidence.at(1).value > 0.7);
    CHECK(unfilled(kernel).empty());
}

TEST_CASE("redundant-write is silent where each sector is stored a few times, or others store") {
    CHECK(firesWith([](LaunchRef&) {}));
    // A result of 200 GB is stored once, and leaves for the DRAM.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kDramWrite, 200e9); }));
    // Loads are most of what arrives.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kL2ReadReturns, 40e9); }));
    // Spilled registers, and atomics.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kLocalSectors, 30e9).set(kGlobalSectors, 0); }));
    CHECK_FALSE(firesWith([](LaunchRef& l) {
        l.set(kGlobalSectors, 40e9).set(kGlobalLoadSectors, 5e9).set(kGlobalStoreSectors, 5e9);
    }));
    // A sector for each lane: coalescing says more.
    CHECK_FALSE(firesWith([](LaunchRef& l) {
        l.set(kGlobalStoreSectors, 47e9).set(kGlobalStoreBytes, 4 * 47e9);
        l.set(kGlobalStores, 47e9 / 32).set(kGlobalSectors, 47e9).set(kGlobalLoadSectors, 0);
    }));
    // The L2 accepts something in 40 % of the time.
    CHECK_FALSE(firesWith([](LaunchRef& l) { l.set(kL2Arrivals, 29e9).set(kL2ReadReturns, 5e9); }));
}

TEST_CASE("redundant-write is silent where the hardware counted stores of local memory") {
    constexpr const char* kLocalLoads = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
    constexpr const char* kLocalStores = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
    // Atomics were not counted, so the sectors of all global accesses are not known.
    CHECK_FALSE(firesWith([&](LaunchRef& l) { l.set(kLocalLoads, 45e9).set(kLocalStores, 40e9); }));
    // Loads that the L1 serves do not arrive at the L2.
    CHECK(firesWith([&](LaunchRef& l) { l.set(kLocalLoads, 45e9).set(kLocalStores, 4e9); }));
}
