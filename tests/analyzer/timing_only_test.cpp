// SPDX-License-Identifier: Apache-2.0
// Profiles with durations and launch shapes but without counters.
#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

KernelAnalysis timed(std::uint32_t blocks, double microseconds) {
    SyntheticProfile p(testDevice());
    p.profile().capture.strategy = "timing";
    const auto k = p.kernel("k");
    for (const double factor : {1.0, 1.1, 0.9})
        p.launch(k, {blocks, 1, 1}, {256, 1, 1})
            .durationUs(factor * microseconds)
            .residentBlocksPerSm(1);
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("timing only: durations, occupancy and waves are there, nothing else is made up") {
    const auto kernel = timed(264, 100);
    const Quantities& q = kernel.quantities;
    CHECK(q.duration.unprofiled());
    CHECK(q.duration.median.value == Approx(100e-6));
    CHECK(q.duration.count == 3);
    CHECK(*q.occupancy.waves == 2.0);
    CHECK(q.occupancy.theoretical.has());
    CHECK_FALSE(q.occupancy.achieved.has());
    CHECK_FALSE(q.dramRead.has());
    CHECK(kernel.points.empty());
    CHECK(kernel.verdict.cls == VerdictClass::Unknown);
    CHECK(kernel.verdict.reason.missing.empty());  // rather than a list of all counters
    CHECK_FALSE(kernel.verdict.headroom.has());
    CHECK(kernel.verdict.headroom.missing == "counters");
    CHECK(kernel.findings.empty());
    CHECK(unknown(kernel, "shared-bank-conflict"));  // a gate must be able to query it
}

TEST_CASE("timing only: launch shapes are judged") {
    const auto few = timed(66, 100);
    CHECK(few.verdict.cls == VerdictClass::Underfilled);
    const Finding* small = find(few, "grid-too-small");
    REQUIRE(small);
    CHECK(small->gainShare->value == Approx(0.5 * 0.98));

    const auto tail = timed(150, 100);
    const Finding* wave = find(tail, "wave-tail");
    REQUIRE(wave);
    // 150 / 132 waves; the bound says that achieved times were not measured.
    CHECK(wave->gainShare->value == Approx(1.0 - 150.0 / 132 / 2));
    CHECK(wave->gainFormula.in(Language::En).find("not measured") != std::string::npos);
    CHECK_FALSE(find(timed(250, 100), "wave-tail"));
}

TEST_CASE("with counters wave-tail still wants to know about the DRAM") {
    SyntheticProfile p(testDevice());
    const auto k = p.kernel("k");
    p.launch(k, {150, 1, 1}, {256, 1, 1}).counterDurationUs(100).residentBlocksPerSm(1);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, "wave-tail"));
    CHECK(unknown(kernel, "wave-tail"));
}
