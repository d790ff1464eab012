// SPDX-License-Identifier: Apache-2.0
// block-start-rate: grids of so many blocks that starting them takes the kernel's time.
#include "analyzer/counters/counter_names.h"
#include "analyzer/roofline/resources.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kRule = "block-start-rate";

/// A million blocks of 16 threads: 1.66 blocks start in a nanosecond on a GH100.
LaunchRef tinyBlocks(SyntheticProfile& p, double microseconds = 632) {
    return idle(p, "fan", {1024, 1024, 1}, {4, 4, 1}, microseconds);
}

}  // namespace

TEST_CASE("block-start-rate fires where blocks start at the highest rate that was seen") {
    SyntheticProfile p(testDevice());
    tinyBlocks(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(finding->evidence.at(0).value == Approx(1024. * 1024 / 632e-6 / 1.66e9));
    CHECK(finding->estimate);
    // Nothing else is busy.
    CHECK(finding->gainShare->value > 0.9);
    CHECK(kernel.verdict.cls == VerdictClass::NearRoof);
    CHECK(kernel.verdict.limiter == ResourceId::BlockStarts);
    // Half-empty warps do not cost anything as long as blocks cannot start sooner.
    CHECK_FALSE(find(kernel, "idle-lanes"));
}

TEST_CASE("block-start-rate gains no more than the DRAM lets it") {
    SyntheticProfile p(testDevice());
    tinyBlocks(p).set("dram__bytes_read.sum", 0.5 * 4.8e12 * 632e-6);
    const Finding* finding = nullptr;
    const auto kernel = analyzeOne(p);
    finding = find(kernel, kRule);
    REQUIRE(finding);
    CHECK(finding->gainShare->value < 0.5);
}

TEST_CASE("block-start-rate is silent where blocks take their time, and on other chips") {
    SyntheticProfile slow(testDevice());
    tinyBlocks(slow, 1000);  // 1.05 blocks per nanosecond
    const auto kernel = analyzeOne(slow);
    CHECK_FALSE(find(kernel, kRule));
    CHECK(isRuledOut(kernel, kRule));
    CHECK(resourcesOf(kernel.quantities).find(ResourceId::BlockStarts) == nullptr);

    Device other = testDevice();
    other.chip = "GA100";
    other.computeMajor = 8;
    other.computeMinor = 0;
    SyntheticProfile ampere(other);
    tinyBlocks(ampere);
    CHECK_FALSE(find(analyzeOne(ampere), kRule));
    CHECK_FALSE(isRuledOut(analyzeOne(ampere), kRule));
}

TEST_CASE("block-start-rate needs counters to say what would limit next") {
    SyntheticProfile p(testDevice());
    p.launch(p.kernel("fan"), {1024, 1024, 1}, {4, 4, 1}).durationUs(632);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kRule));
    CHECK(unknown(kernel, kRule));
}
