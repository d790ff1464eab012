// SPDX-License-Identifier: Apache-2.0
// What becomes of the percentages that Nsight Compute computed.
#include "analyzer/counters/counter_names.h"
#include "analyzer/roofline/resources.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kLsuRequestShare = "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kMemoryShare =
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kSmShare = "sm__throughput.avg.pct_of_peak_sustained_elapsed";

LaunchRef withCounters(SyntheticProfile& p) { return idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100); }

/// A launch with a duration and nothing else.
LaunchRef withShares(SyntheticProfile& p) {
    return p.launch(p.kernel("k"), {2112, 1, 1}, {256, 1, 1}).counterDurationUs(100);
}

}  // namespace

TEST_CASE("requests to the load/store unit limit a kernel whose data stage is half idle") {
    SyntheticProfile p(testDevice());
    withCounters(p)
        .set(kLsuPipe, 42)
        .set(kLsuWavefronts, 1e7)
        .set(kLsuRequestShare, 83.1)
        .set(kMemoryShare, 83.1);
    const Verdict verdict = analyzeOne(p).verdict;
    CHECK(verdict.cls == VerdictClass::NearRoof);
    CHECK(verdict.limiter == ResourceId::LsuRequests);
    CHECK(verdict.utilisation->value == Approx(0.831));
}

TEST_CASE("the integer pipe's cycles stand for its instructions") {
    SyntheticProfile p(testDevice());
    withCounters(p).set("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", 76.8);
    CHECK(analyzeOne(p).verdict.limiter == ResourceId::Integer);
}

TEST_CASE("a total that no resource explains is named, with the unit that has the same value") {
    SyntheticProfile p(testDevice());
    withCounters(p)
        .set(kMemoryShare, 72.4)
        .set("l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed", 72.4)
        .set("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 30);
    const Verdict verdict = analyzeOne(p).verdict;
    CHECK(verdict.cls == VerdictClass::MemoryBound);
    CHECK(verdict.limiter == ResourceId::MemoryTotal);
    CHECK(verdict.reason.counter == "l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed");
    CHECK(verdict.confidence != Confidence::High);

    SyntheticProfile sm(testDevice());
    withCounters(sm).set(kSmShare, 72.4);
    CHECK(analyzeOne(sm).verdict.limiter == ResourceId::SmTotal);
    CHECK(analyzeOne(sm).verdict.reason.counter == kSmShare);

    // Where a resource explains it, the total adds nothing; nor below 60 %, if all is known.
    SyntheticProfile known(testDevice());
    withCounters(known)
        .set(kLsuPipe, 72)
        .set(kLsuWavefronts, 1e7)
        .set(kMemoryShare, 72.4)
        .set(kSmShare, 40);
    const Resources resources = resourcesOf(analyzeOne(known).quantities);
    CHECK_FALSE(resources.find(ResourceId::MemoryTotal));
    CHECK_FALSE(resources.find(ResourceId::SmTotal));
}

TEST_CASE("what a total below 60 % covers is not missing") {
    SyntheticProfile p(testDevice());
    withShares(p)
        .set("dram__throughput.avg.pct_of_peak_sustained_elapsed", 53.3)
        .set(kMemoryShare, 53.3)
        .set(kSmShare, 14.8);
    const Verdict verdict = analyzeOne(p).verdict;
    CHECK(verdict.cls == VerdictClass::LatencyBound);
    CHECK(verdict.reason.leading->id == ResourceId::Dram);

    // Without the SM's total, a pipe may be what limits.
    SyntheticProfile open(testDevice());
    withShares(open)
        .set("dram__throughput.avg.pct_of_peak_sustained_elapsed", 53.3)
        .set(kMemoryShare, 53.3);
    CHECK(analyzeOne(open).verdict.cls == VerdictClass::Unknown);
}

TEST_CASE("a share that limits decides, although other counters are missing") {
    struct Case {
        const char* counter;
        double percent;
        ResourceId limiter;
    };
    for (const Case& c :
         {Case{"sm__issue_active.avg.pct_of_peak_sustained_elapsed", 77.2, ResourceId::Issue},
          Case{"lts__throughput.avg.pct_of_peak_sustained_elapsed", 93.2, ResourceId::L2},
          Case{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed", 99.6,
               ResourceId::L1DataPipe}}) {
        INFO(c.counter);
        SyntheticProfile p(testDevice());
        withShares(p).set(c.counter, c.percent);
        const Verdict verdict = analyzeOne(p).verdict;
        CHECK(verdict.limiter == c.limiter);
        CHECK(verdict.utilisation->value == Approx(c.percent / 100));
    }
    // A part of the data stage says nothing about the rest.
    SyntheticProfile p(testDevice());
    withShares(p).set(
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed", 20);
    CHECK_FALSE(analyzeOne(p).quantities.sharedPipeUtilisation.has());
}
