// SPDX-License-Identifier: Apache-2.0
// global-uncoalesced joined with grid-too-small: few threads, each of which walks along a row.
#include "analyzer/counters/counter_names.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kGrid = "grid-too-small";
constexpr const char* kAccess = "global-uncoalesced";

/// A 10,000 × 10,000 matrix of 4-byte numbers, read and written by a thread for each row: 40 blocks
/// of 256. Each access of a warp touches 32 rows. The L2 carries 32 + 4 bytes for each 4.
LaunchRef rowPerThread(SyntheticProfile& p, std::uint32_t blocks = 40, double sectors = 32,
                       double bytes = 4) {
    auto launch = idle(p, "map(float const*, float*, int)", {blocks, 1, 1}, {256, 1, 1}, 3450);
    constexpr double kNumbers = 1e8, kRequests = kNumbers / 32;
    launch.set("dram__bytes_read.sum", 4 * kNumbers).set("dram__bytes_write.sum", 4 * kNumbers);
    launch.set(kL2ReadReturns, kNumbers);
    launch.set(kGlobalLoads, kRequests).set(kGlobalStores, kRequests);
    launch.set(kGlobalLoadBytes, bytes * kNumbers).set(kGlobalStoreBytes, bytes * kNumbers);
    launch.set(kGlobalLoadSectors, sectors * kRequests);
    launch.set(kGlobalStoreSectors, sectors * kRequests);
    launch.set(kGlobalSectors, 2 * sectors * kRequests).set(kWidth32, 2 * kRequests);
    return launch.set(kLsuPipe, 14).set(kLsuWavefronts, 2 * sectors * kRequests);
}

}  // namespace

TEST_CASE("a few threads that walk rows get one edit for the accesses and the grid") {
    SyntheticProfile p(testDevice());
    rowPerThread(p);
    const auto kernel = analyzeOne(p);
    const Finding* access = find(kernel, kAccess);
    const Finding* grid = find(kernel, kGrid);
    REQUIRE(access);
    REQUIRE(grid);
    CHECK(access == &kernel.findings.front());
    CHECK(grid->cause == kAccess);
    CHECK(access->edit.in(Language::En).find("neighbouring elements of a row") !=
          std::string::npos);
    CHECK(unfilled(*access).empty());
    // 800 MB take 5 % of the time at the DRAM's roof; a quarter of the L2's bytes stay.
    CHECK(access->gain->value >= grid->gain->value);
    CHECK(access->gainShare->value < 1.0 - 800e6 / 4.81e12 / 3450e-6);
    CHECK(access->expected.back().from == 40);
    CHECK(access->expected.back().to == 132);
}

TEST_CASE("accesses and grid stay two edits where one does not fix both") {
    const auto joined = [](std::uint32_t blocks, double sectors, double bytes = 4) {
        SyntheticProfile p(testDevice());
        rowPerThread(p, blocks, sectors, bytes);
        const auto kernel = analyzeOne(p);
        const Finding* access = find(kernel, kAccess);
        return access && !access->alsoFixes.empty();
    };
    CHECK(joined(40, 32));
    CHECK_FALSE(joined(1320, 32));  // the GPU is full
    CHECK_FALSE(joined(40, 4));     // neighbours: nothing is wrong
    CHECK_FALSE(joined(40, 12));    // every third element, or a gather of groups
    CHECK_FALSE(joined(40, 12, 2));
    CHECK_FALSE(joined(40, 32, 16));  // 16 bytes each: every second one

    // Where rows end at different times, fewer lanes walk: a sector for each of 12 in the mean.
    const auto lanes = [](double active, double sectors) {
        SyntheticProfile p(testDevice());
        rowPerThread(p, 40, sectors, 1.5)
            .set(kThreadInstructions, active * 1e8)
            .set(kWarpInstructions, 1e8);
        const auto kernel = analyzeOne(p);
        const Finding* access = find(kernel, kAccess);
        return access && !access->alsoFixes.empty();
    };
    CHECK(lanes(12, 12));
    CHECK_FALSE(lanes(32, 12));
    CHECK_FALSE(lanes(4, 4));

    // A population of 96 in one block: too few elements to fill the GPU with a thread for each.
    SyntheticProfile few(testDevice());
    rowPerThread(few, 1).set(kGlobalLoads, 4e3).set(kGlobalStores, 4e3);
    const auto small = analyzeOne(few);
    if (const Finding* access = find(small, kAccess)) CHECK(access->alsoFixes.empty());

    // A library's kernel: its caller cannot change what its threads take.
    SyntheticProfile torch(testDevice());
    rowPerThread(torch);
    torch.profile().kernels.at(0).name = "void at::native::reduce_kernel<512, 1>(int)";
    torch.profile().kernels.at(0).symbol = "_ZN2at6native13reduce_kernel";
    const auto kernel = analyzeOne(torch);
    const Finding* grid = find(kernel, kGrid);
    REQUIRE(grid);
    CHECK(grid->cause.empty());
}

TEST_CASE("accesses and grid are not one edit where warps wait for something else") {
    const auto joined = [](double memory, double other) {
        SyntheticProfile p(testDevice());
        auto launch = rowPerThread(p);
        const ChipTable chip = chipTable("GH100").value();
        launch.setAll(chip.groups.at("stalls").counters, 0)
            .set(stallCounter("long_scoreboard"), memory)
            .set(stallCounter("wait"), other);
        const auto kernel = analyzeOne(p);
        const Finding* access = find(kernel, kAccess);
        const Finding* grid = find(kernel, kGrid);
        REQUIRE(access);
        REQUIRE(grid);
        CHECK(grid->cause.empty() == access->alsoFixes.empty());
        return !access->alsoFixes.empty();
    };
    CHECK(joined(15, 5));
    CHECK_FALSE(joined(3, 17));  // dependent arithmetic
}
