// SPDX-License-Identifier: Apache-2.0
// What rules make of a quantity that was not measured: never 0.
#include <limits>
#include <utility>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// A transpose without a tile: 2^19 requests load whole sectors and store into 32 sectors each. The
/// way into the L2 is 91 % busy.
LaunchRef transposeOfRows(SyntheticProfile& p) {
    auto launch = idle(p, "transpose_rows", {2112, 1, 1}, {256, 1, 1}, 600);
    constexpr double kBytes = 67108864, kRequests = 524288;
    launch.set(kGlobalLoads, kRequests).set(kGlobalStores, kRequests);
    launch.set(kGlobalLoadBytes, kBytes).set(kGlobalStoreBytes, kBytes);
    launch.set(kGlobalLoadSectors, kBytes / 32).set(kGlobalStoreSectors, 32 * kRequests);
    launch.set(kGlobalSectors, kBytes / 32 + 32 * kRequests).set(kLsuPipe, 12);
    launch.set("dram__bytes_read.sum", kBytes).set("dram__bytes_write.sum", kBytes);
    launch.set(kL2ReadReturns, kBytes / 32);
    launch.set("lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed", 3);
    launch.set("lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed", 91);
    return launch;
}

}  // namespace

TEST_CASE("stores that are not coalesced are found without the L2's bytes") {
    SyntheticProfile known(testDevice()), missing(testDevice());
    transposeOfRows(known);
    transposeOfRows(missing).set(kL2ReadReturns, kNotMeasured);
    const KernelAnalysis with = analyzeOne(known), without = analyzeOne(missing);
    REQUIRE(with.quantities.bytes[Level::L2].has());
    REQUIRE_FALSE(without.quantities.bytes[Level::L2].has());
    const Finding* expected = find(with, "global-uncoalesced");
    const Finding* finding = find(without, "global-uncoalesced");
    REQUIRE(expected);
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    // The stores alone are 537 MB, beside 134 MB requested: 1 − 0.91 × 134 / 537.
    CHECK(finding->gainShare->value == Approx(1 - 0.91 * 134217728 / 536870912.0));
    CHECK(finding->gainShare->value <= expected->gainShare->value);
}

TEST_CASE("loads that are not coalesced may cost nothing: the L2's bytes decide") {
    const auto run = [](double returns) {
        SyntheticProfile p(testDevice());
        auto launch = strided(p);
        // Coalesced stores; the L2 has all that is loaded.
        launch.set(kGlobalStoreSectors, 2097152 / 8).set(kGlobalSectors, 2097152 * 9 / 8);
        launch.set("dram__bytes_read.sum", 8e6).set("dram__bytes_write.sum", 8e6);
        launch.set(kL2ReadReturns, returns).set(kLsuPipe, 10);
        launch.set("lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed", 91);
        return analyzeOne(p);
    };
    CHECK(find(run(2097152), "global-uncoalesced"));
    const KernelAnalysis missing = run(kNotMeasured);
    CHECK_FALSE(find(missing, "global-uncoalesced"));
    const CannotTell* cannot = unknown(missing, "global-uncoalesced");
    REQUIRE(cannot);
    CHECK(cannot->missing.in(Language::En).find("lts__lts2xbar_cycles_active.sum") !=
          std::string::npos);
}

TEST_CASE("what the loads requested decides whether stores are worth an edit") {
    SyntheticProfile p(testDevice());
    transposeOfRows(p).set(kGlobalLoadBytes, kNotMeasured).set(kGlobalLoadSectors, kNotMeasured);
    const KernelAnalysis kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, "global-uncoalesced"));
    CHECK(unknown(kernel, "global-uncoalesced"));
}

TEST_CASE("the share of the DRAM roof that a tool calculated is used") {
    const auto share = [](std::vector<std::pair<const char*, double>> counters) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100);
        launch.set("dram__bytes_read.sum", kNotMeasured).set("dram__bytes_write.sum", kNotMeasured);
        for (const auto& [name, value] : counters) launch.set(name, value);
        return analyzeOne(p).quantities.utilisation[Level::Dram];
    };
    CHECK_FALSE(share({}).has());
    CHECK(share({{"dram__throughput.avg.pct_of_peak_sustained_elapsed", 77}})->value == 0.77);
    const char *read = "dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
               *write = "dram__bytes_write.sum.pct_of_peak_sustained_elapsed";
    CHECK(share({{read, 50}, {write, 25}})->value == 0.75);
    CHECK_FALSE(share({{read, 50}}).has());  // the other direction is not 0
}
