// SPDX-License-Identifier: Apache-2.0
// idle-blocks: a grid that is many times larger than the work.
#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kIdleBlocks = "idle-blocks";
constexpr double kWarpsOfGrid = 800'000;

LaunchRef periodogram(SyntheticProfile& p) {
    return idle(p, "periodogram(int, float const*, float*)", {100'000, 1, 1}, {256, 1, 1}, 300)
        .set(kWarpInstructions, 170e6);
}

/// A bounds check, which `busy` warps pass, and then their work. As in all kernels, an exit and
/// padding that is never executed come last.
KernelAnalysis withWork(double busy, const char* test = "@P0 EXIT",
                        const char* before = "ISETP.GE.AND P0, PT, R8, UR4, PT") {
    SyntheticProfile p(testDevice());
    auto pass = p.sourcePass(periodogram(p));
    pass.instruction("S2R R8, SR_CTAID.X", "/a/main.cu", 44).executed(kWarpsOfGrid);
    pass.instruction(before, "/a/main.cu", 55).executed(kWarpsOfGrid);
    pass.instruction(test, "/a/main.cu", 55).executed(kWarpsOfGrid);
    pass.instruction("FFMA R4, R4, R5, R6", "/a/main.cu", 60).executed(busy);
    pass.instruction("EXIT", "/a/main.cu", 61).executed(busy);
    pass.instruction("BRA 0x100", "/a/main.cu", 61);
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("blocks that end at their bounds check are named, with what starting them takes") {
    const KernelAnalysis kernel = withWork(3'200);
    const Finding* finding = find(kernel, kIdleBlocks);
    REQUIRE(finding);
    CHECK(unfilled(*finding).empty());
    CHECK(finding->evidence[0].value == Approx(0.996));
    // 100,000 blocks at 1,660 per microsecond: 60 of 300.
    CHECK(finding->gainShare->value == Approx(0.996 * 60.24 / 300).epsilon(0.01));
}

TEST_CASE("edges of an array, and kernels without an early exit, are left alone") {
    CHECK_FALSE(find(withWork(0.3 * kWarpsOfGrid), kIdleBlocks));
    CHECK_FALSE(find(withWork(3'200, "@P0 BRA 0x400"), kIdleBlocks));  // the others do more
    CHECK_FALSE(find(withWork(kWarpsOfGrid, "NOP"), kIdleBlocks));  // as many threads as elements
    // The end of a sum over a block: all but the first warp have done their part.
    CHECK_FALSE(find(withWork(3'200, "@P0 EXIT", "SHFL.DOWN PT, R3, R2, 0x1, 0x1f"), kIdleBlocks));
}

TEST_CASE("machine code is asked for where hardly a warp writes anything") {
    const auto asks = [](double stores) {
        SyntheticProfile p(testDevice());
        periodogram(p)
            .set(kGlobalStores, stores)
            .set(kGlobalInstructions, stores)
            .set(kGlobalLoads, 0)
            .set(kSharedInstructions, 0)
            .set(kLocalSectors, 0);
        return unknown(analyzeOne(p), kIdleBlocks) != nullptr;
    };
    CHECK(asks(3'200));
    CHECK_FALSE(asks(kWarpsOfGrid));
}
