// SPDX-License-Identifier: Apache-2.0
// The rule l2-tag-bound, on a gather of 32-byte records from a table that fits into the L2. Each
// warp instruction reads 16 whole records, each in a line of its own.
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kRule = "l2-tag-bound";
constexpr double kRecords = 1 << 26, kMicroseconds = 500;
/// 94 slices at 1.7 GHz: an H200.
constexpr double kSlots = 94 * 1.7e9 * kMicroseconds * 1e-6;

/// `perLine`: records served by one line and thus by one look-up.
LaunchRef gather(SyntheticProfile& p, double perLine = 1) {
    auto launch = idle(p, "gather", {8192, 1, 1}, {256, 1, 1}, kMicroseconds);
    const double bytes = kRecords * 32, requests = bytes / 512;
    launch.set("lts__lts2xbar_cycles_active.sum", kRecords);
    // Half of the requests are forwarded to the other half of the L2 and looked up there again.
    launch.set("lts__xbar2lts_cycles_active.sum", 0.67 * kRecords / perLine);
    launch.set(kGlobalLoadBytes, bytes).set(kGlobalLoadSectors, kRecords);
    launch.set(kGlobalSectors, kRecords).set(kGlobalTags, kRecords / perLine);
    launch.set(kGlobalLoads, requests).set(kGlobalInstructions, requests);
    launch.set(kWidth128, requests).set(kLsuWavefronts, kRecords / perLine);
    return launch.set(kLsuPipe, 20.0);
}

LaunchRef withTags(LaunchRef launch, double share, double sectorsEach) {
    const double lookUps = share * kSlots;
    return launch.set(kL2TagUse, 100 * share)
        .set(kL2TagRequests, lookUps)
        .set(kL2Sectors, sectorsEach * lookUps);
}

}  // namespace

TEST_CASE("l2-tag-bound fires on whole sectors of many lines") {
    SyntheticProfile p(testDevice());
    withTags(gather(p), 0.84, 1.0);
    const auto kernel = analyzeOne(p);
    CHECK(kernel.verdict.limiter == ResourceId::L2Tags);
    CHECK_FALSE(find(kernel, "global-uncoalesced"));  // every byte of every sector is used
    REQUIRE_FALSE(kernel.findings.empty());
    const Finding& finding = kernel.findings.front();
    REQUIRE(finding.ruleId == kRule);
    CHECK_FALSE(finding.minor);
    CHECK(finding.estimate);
    CHECK(unfilled(kernel).empty());
    CHECK(finding.evidence[0].value == Approx(0.84));
    CHECK(finding.evidence[1].value == Approx(1.0));
    // The data still have to leave the L2, two sectors per slice and cycle: 42 % of the time.
    // Looking up each line once takes a quarter of the look-ups: 21 %.
    CHECK(kRecords / (2 * kSlots) == Approx(0.42).epsilon(0.01));
    CHECK(finding.gainShare->value == Approx(0.84 - kRecords / (2 * kSlots)).epsilon(0.01));
    CHECK(finding.expected[0].to == Approx(0.25 * finding.expected[0].from));
}

TEST_CASE(
    "l2-tag-bound does not fire on whole lines, beside a busier resource, or on few look-ups") {
    const auto found = [](const auto& change) {
        SyntheticProfile p(testDevice());
        change(p);
        const auto kernel = analyzeOne(p);
        CHECK(unfilled(kernel).empty());
        return find(kernel, kRule) != nullptr;
    };
    CHECK(found([](auto& p) { withTags(gather(p), 0.65, 1.5); }));
    CHECK_FALSE(found([](auto& p) { withTags(gather(p), 0.55, 1.0); }));
    CHECK_FALSE(found([](auto& p) { withTags(gather(p, 4), 0.84, 3.0); }));
    // The DRAM is just as busy: 3.3 of 4.8 TB/s.
    CHECK_FALSE(found([](auto& p) {
        withTags(gather(p), 0.65, 1.0).set("dram__bytes_read.sum", 3.3e12 * kMicroseconds * 1e-6);
    }));
    // Every 32nd float, measured with Nsight Compute: look-ups at 65.6 %, DRAM at 63 % of
    // attainable.
    SyntheticProfile p(testDevice());
    const double lookUps = 10160515;
    strided(p).set(kL2TagUse, 65.61).set(kL2TagRequests, lookUps).set(kL2Sectors, 9280660);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kRule));
    REQUIRE_FALSE(kernel.findings.empty());
    CHECK(kernel.findings.front().ruleId == "global-uncoalesced");
}

TEST_CASE("l2-tag-bound asks for its counters where tags may be what limits") {
    SyntheticProfile p(testDevice());
    gather(p);
    const auto kernel = analyzeOne(p);
    const CannotTell* cannot = unknown(kernel, kRule);
    REQUIRE(cannot);
    CHECK(cannot->groups == std::vector{CounterGroup::Cache});
    CHECK(cannot->advice.in(Language::En).find("cache") != std::string::npos);
    CHECK(kernel.verdict.confidence == Confidence::Low);

    // Whole lines; then an L2 with little to do.
    SyntheticProfile lines(testDevice());
    gather(lines, 4);
    CHECK_FALSE(unknown(analyzeOne(lines), kRule));
    SyntheticProfile slow(testDevice());
    gather(slow).counterDurationUs(4 * kMicroseconds);
    CHECK_FALSE(unknown(analyzeOne(slow), kRule));
    // Nearly all data come by bulk copies, which the line counters do not see.
    SyntheticProfile bulk(testDevice());
    gather(bulk)
        .set(kGlobalSectors, kRecords / 4)
        .set(kGlobalLoadSectors, kRecords / 4)
        .set(kGlobalTags, kRecords / 4)
        .set(kGlobalLoadBytes, 8 * kRecords);
    CHECK_FALSE(unknown(analyzeOne(bulk), kRule));
    // Parts of sectors are used: coalescing comes first.
    SyntheticProfile parts(testDevice());
    gather(parts).set(kGlobalLoadBytes, 4 * kRecords);
    CHECK_FALSE(unknown(analyzeOne(parts), kRule));
    // A recording made with the older version of the group.
    SyntheticProfile older(testDevice());
    gather(older).set(kL2HitRate, 99);
    const auto before = analyzeOne(older);
    REQUIRE(unknown(before, kRule));
    CHECK(unknown(before, kRule)->groups.empty());
}
