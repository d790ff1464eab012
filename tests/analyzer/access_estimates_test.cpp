// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/access_widths.h"
#include "analyzer/quantities/coalescing.h"
#include "analyzer/quantities/conflicts.h"
#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("coalescing: a strided copy uses an eighth of its sectors") {
    const auto estimate = estimateCoalescing(8388608, 2097152, 65536);
    CHECK(estimate.efficiency->value == 0.125);
    CHECK(*estimate.sectorsPerRequest == 32.0);
    CHECK(*estimate.certainExcess == 2097152 - (8388608 / 32 + 65536));
}

TEST_CASE("coalescing: warp-uniform loads have no certain excess") {
    // One 4-byte word per warp instruction: one sector each.
    const auto estimate = estimateCoalescing(4 * 1000, 1000, 1000);
    CHECK(estimate.efficiency->value == 0.125);
    CHECK(*estimate.certainExcess == 0.0);
}

TEST_CASE("coalescing: a misaligned contiguous access has no certain excess") {
    const auto estimate = estimateCoalescing(128 * 1000, 5 * 1000, 1000);
    CHECK(*estimate.certainExcess == 0.0);
}

TEST_CASE("coalescing: nothing accessed is not applicable, not zero") {
    const auto estimate = estimateCoalescing(0, 0, 0);
    CHECK(estimate.efficiency.notApplicable());
    CHECK(estimate.sectorsPerRequest.notApplicable());
    CHECK(estimate.certainExcess.notApplicable());
}

TEST_CASE("conflicts: unpadded 8192² transpose") {
    const double n = 2097152;
    const auto both = estimateConflicts({.wavefronts = 67108864 + n,
                                         .instructions = 2 * n,
                                         .bytes = 2 * 128 * n,
                                         .width32 = 4 * n});
    CHECK(*both.degree == 16.5);
    CHECK(both.excessCertain->value == Approx(0.939394).epsilon(1e-5));
    CHECK(both.excessPossible->value == Approx(0.939394).epsilon(1e-5));
    const auto loads = estimateConflicts(
        {.wavefronts = 67108864, .instructions = n, .bytes = 128 * n, .width32 = 4 * n});
    CHECK(*loads.degree == 32.0);
}

TEST_CASE("conflicts: padded transpose has none") {
    const double n = 2097152;
    const auto both = estimateConflicts(
        {.wavefronts = 2 * n, .instructions = 2 * n, .bytes = 2 * 128 * n, .width32 = 4 * n});
    CHECK(both.excessCertain->value == 0.0);
    CHECK(both.excessPossible->value == 0.0);
    CHECK(*both.degree == 1.0);
}

TEST_CASE("conflicts: broadcast LDS.32 mixed with LDS.128 is possible excess, never certain") {
    // 1000 broadcasts (4 bytes, 1 wavefront) and 1000 full 16-byte loads (4 wavefronts).
    const auto estimate = estimateConflicts({.wavefronts = 5000,
                                             .instructions = 2000,
                                             .bytes = 4 * 1000 + 512 * 1000,
                                             .width32 = 1000,
                                             .width128 = 1000});
    CHECK(estimate.excessCertain->value == 0.0);
    CHECK(estimate.excessPossible->value == Approx(1 - 4031.25 / 5000));
}

TEST_CASE("conflicts: one word per warp instruction is its own ideal") {
    const auto estimate = estimateConflicts(
        {.wavefronts = 1000, .instructions = 1000, .bytes = 4 * 1000, .width32 = 1000});
    CHECK(estimate.excessCertain->value == 0.0);
    CHECK(*estimate.idealLow == 1000.0);
}

TEST_CASE("conflicts: matrix loads that no width class counts are covered by their bytes") {
    const auto estimate =
        estimateConflicts({.wavefronts = 4000, .instructions = 1000, .bytes = 512 * 1000});
    CHECK(estimate.excessCertain->value == 0.0);
}

TEST_CASE("conflicts: no shared memory is not applicable") {
    const auto estimate = estimateConflicts({});
    CHECK(estimate.excessCertain.notApplicable());
    CHECK(estimate.degree.notApplicable());
    CHECK(*estimate.wavefronts == 0.0);
}

TEST_CASE("widths: the narrow share of global accesses is a lower bound") {
    // 4-byte copy: all accesses are narrow.
    CHECK(globalNarrowShare({0, 0, 200, 0, 0}, 100, 100, 0)->value == 1.0);
    // float4 copy: none is.
    CHECK(globalNarrowShare({0, 0, 0, 0, 200}, 100, 100, 0)->value == 0.0);
    // 100 wide accesses that may be shared or global: at least 100 of 200 global ones are narrow.
    CHECK(globalNarrowShare({0, 0, 200, 0, 100}, 100, 100, 0)->value == 0.5);
    // Asynchronous copies count as wide.
    CHECK(globalNarrowShare({0, 0, 10, 0, 0}, 10, 0, 90)->value == 0.1);
    // There cannot be more narrow global accesses than narrow accesses in all.
    CHECK(globalNarrowShare({0, 0, 50, 0, 0}, 100, 0, 0)->value == 0.5);
    CHECK(globalNarrowShare({0, 0, 0, 0, 0}, 0, 0, 0).notApplicable());
}
