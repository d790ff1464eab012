// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline/occupancy.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using roofscope::test::testDevice;

namespace {
Occupancy of(std::uint32_t registers, std::uint32_t shared, Dim3 block, Dim3 grid = {1000, 1, 1},
             std::optional<std::uint32_t> driver = {}) {
    Kernel kernel;
    kernel.registersPerThread = registers;
    kernel.staticSharedBytes = shared;
    const LaunchGroup group{.grid = grid, .block = block};
    return launchOccupancy(testDevice(), kernel, group, driver);
}
}  // namespace

TEST_CASE("occupancy terms agree with what Nsight Compute reports on an H200") {
    // 8192² transpose: 22 registers, 256 threads: 10 blocks by registers, 8 by warps, 32 by slots.
    const auto terms = occupancyTerms(
        testDevice(), {.threads = 256, .registersPerThread = 22, .sharedBytes = 4096});
    CHECK(*terms.registers == 10);
    CHECK(*terms.warps == 8);
    CHECK(*terms.blocks == 32);
    CHECK(*terms.sharedMemory == 45);  // 233472 / (4096 + 1024)
    // One warp with 16 registers: 128 blocks by registers.
    CHECK(*occupancyTerms(testDevice(), {.threads = 32, .registersPerThread = 16}).registers ==
          128);
}

TEST_CASE("a full SM has no limiter and no advice") {
    const auto o = of(32, 0, {256, 1, 1});
    CHECK(*o.residentBlocksPerSm == 8.0);
    CHECK(o.theoretical->value == 1.0);
    CHECK(o.limiter == OccupancyLimiter::None);
    CHECK(o.nextStep.empty());
}

TEST_CASE("registers limit, and the next step is true") {
    // 255 registers → 256 · 32 = 8192 per warp: 2 warps per sub-partition, 8 per SM, 1 block of 256
    // threads.
    const auto o = of(255, 0, {256, 1, 1});
    CHECK(*o.residentBlocksPerSm == 1.0);
    CHECK(o.theoretical->value == Approx(8.0 / 64));
    CHECK(o.limiter == OccupancyLimiter::Registers);
    CHECK(o.nextStep.in(Language::En) ==
          "at most 128 registers per thread (now 255) would allow 2 blocks per SM instead of 1");
    CHECK(*of(128, 0, {256, 1, 1}).residentBlocksPerSm == 2.0);
    CHECK(*of(136, 0, {256, 1, 1}).residentBlocksPerSm == 1.0);
}

TEST_CASE("shared memory limits, and the next step is true") {
    const auto o = of(32, 100 * 1024, {256, 1, 1});
    CHECK(*o.residentBlocksPerSm == 2.0);
    CHECK(o.limiter == OccupancyLimiter::SharedMemory);
    // 233472 / 3 = 77824, less 1024 reserved.
    CHECK(o.nextStep.in(Language::En) ==
          "at most 76800 B of shared memory per block (now 102400) would allow 3 blocks per SM "
          "instead of 2");
    CHECK(*of(32, 76800, {256, 1, 1}).residentBlocksPerSm == 3.0);
    CHECK(*of(32, 76801, {256, 1, 1}).residentBlocksPerSm == 2.0);
}

TEST_CASE("block size limits") {
    const auto o = of(32, 0, {768, 1, 1});
    CHECK(*o.residentBlocksPerSm == 2.0);
    CHECK(o.theoretical->value == Approx(48.0 / 64));
    CHECK(o.limiter == OccupancyLimiter::BlockSize);
    CHECK(o.nextStep.in(Language::En) ==
          "blocks of 1024 threads (now 768) would keep 64 warps per SM resident instead of 48");
    const auto small = of(16, 0, {32, 1, 1});
    CHECK(small.limiter == OccupancyLimiter::BlocksPerSm);
    CHECK(small.theoretical->value == 0.5);
    CHECK(small.nextStep.in(Language::En) ==
          "blocks of 64 threads (now 32) would keep 64 warps per SM resident instead of 32");
}

TEST_CASE("the driver's figure wins and silences advice that the formula cannot vouch for") {
    const auto o = of(255, 0, {256, 1, 1}, {1320, 1, 1}, 2u);
    CHECK(*o.residentBlocksPerSm == 2.0);
    CHECK(o.nextStep.empty());
    CHECK(*o.waves == 1320.0 / (132 * 2));
}

TEST_CASE("waves and wave efficiency") {
    const auto o = of(32, 0, {256, 1, 1}, {1267, 1, 1});  // 1.2 × 132 × 8, rounded
    CHECK(*o.waves == Approx(1267.0 / 1056));
    CHECK(o.waveEfficiency->value == Approx(1267.0 / 1056 / 2));
    CHECK(of(32, 0, {256, 1, 1}, {2112, 1, 1}).waveEfficiency->value == 1.0);
}

TEST_CASE("without registers and without the driver occupancy is missing") {
    const LaunchGroup group{.block = {256, 1, 1}};
    const auto o = launchOccupancy(testDevice(), Kernel{}, group, {});
    CHECK_FALSE(o.residentBlocksPerSm.has());
    CHECK_FALSE(o.residentBlocksPerSm.missing.empty());
    CHECK_FALSE(o.waves.has());
    CHECK_FALSE(o.waves.notApplicable());
}
