// SPDX-License-Identifier: Apache-2.0
// The rule redundant-staging, on look-ups in a 32 KB table that every block copies into shared
// memory: 65,536 blocks of 256 threads, one look-up per thread.
#include <cmath>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr double kBlocks = 65536, kTable = 32768, kKeys = kBlocks * 256 * 4;

/// `read`: bytes that the look-ups read; `staged`: bytes that each block copies.
LaunchRef lookUp(SyntheticProfile& p, double staged = kTable, double read = kKeys,
                 Dim3 grid = {65536, 1, 1}) {
    auto launch = idle(p, "lookUp", grid, {256, 1, 1}, 4000);
    const double blocks = grid.x, copied = blocks * staged;
    launch.set(kGlobalLoadBytes, copied + kKeys).set(kGlobalStoreBytes, kKeys);
    launch.set(kGlobalLoads, (copied + kKeys) / 128).set(kGlobalStores, kKeys / 128);
    launch.set(kGlobalLoadSectors, (copied + kKeys) / 32).set(kGlobalStoreSectors, kKeys / 32);
    launch.set(kGlobalSectors, (copied + 2 * kKeys) / 32);
    launch.set(kWidth32, (2 * copied + 2 * kKeys + read) / 128);
    launch.set(kSharedStoreBytes, copied).set(kSharedStores, copied / 128);
    launch.set(kSharedLoadBytes, read).set(kSharedLoads, read / 128);
    launch.set(kSharedStoreWavefronts, copied / 128).set(kSharedLoadWavefronts, read / 128);
    return launch.set("dram__bytes_read.sum", kKeys).set("dram__bytes_write.sum", kKeys);
}

}  // namespace

TEST_CASE("redundant-staging fires where every block copies a table that it hardly reads") {
    SyntheticProfile p(testDevice());
    lookUp(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "redundant-staging");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(unfilled(*finding).empty());
    CHECK(finding->evidence[0].value == kBlocks * kTable);
    CHECK(finding->evidence[1].value == Approx(kKeys / (kBlocks * kTable)));  // 3 %
    // The share of all loads that later blocks repeat; the DRAM is hardly busy.
    const double waves = *kernel.quantities.occupancy.waves;
    CHECK(waves > 50);
    CHECK(finding->gainShare->value ==
          Approx((1 - 1 / waves) * kBlocks * kTable / (kBlocks * kTable + kKeys)).epsilon(0.01));
    CHECK(finding->expected[0].to == Approx(kBlocks * kTable / waves));
    CHECK_FALSE(find(kernel, "redundant-read"));  // the same fault, but its edit is worse here
}

TEST_CASE("redundant-staging does not fire on tiles that are read, nor where nothing is saved") {
    const auto found = [](const auto& change) {
        SyntheticProfile p(testDevice());
        change(p);
        return find(analyzeOne(p), "redundant-staging") != nullptr;
    };
    // A transpose reads each staged value once; reading half of them still counts as use.
    CHECK_FALSE(found([](auto& p) { transpose(p, true); }));
    CHECK_FALSE(found([](auto& p) { lookUp(p, kTable, 0.6 * kBlocks * kTable); }));
    CHECK(found([](auto& p) { lookUp(p, kTable, 0.4 * kBlocks * kTable); }));
    // Only as many blocks as are resident: each must fill its shared memory once.
    CHECK_FALSE(found([](auto& p) { lookUp(p, kTable, kKeys / 62, {1056, 1, 1}); }));
    // The staged data were computed, not loaded.
    CHECK_FALSE(found(
        [](auto& p) { lookUp(p).set(kGlobalLoadBytes, kKeys).set(kGlobalLoads, kKeys / 128); }));
    // These counters miss shared-memory reads by tensor cores and by other blocks of a cluster.
    CHECK_FALSE(found([](auto& p) { lookUp(p).set(kTensorPipe, 30); }));
    CHECK_FALSE(found([](auto& p) { lookUp(p).cluster({2, 1, 1}); }));
}

TEST_CASE("redundant-staging says what it lacks") {
    SyntheticProfile p(testDevice());
    lookUp(p).set(kSharedLoadBytes, std::nan(""));
    const CannotTell* cannot = unknown(analyzeOne(p), "redundant-staging");
    REQUIRE(cannot);
    CHECK(cannot->missing.in(Language::En).find("shared_op_ld") != std::string::npos);
}
