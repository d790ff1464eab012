// SPDX-License-Identifier: Apache-2.0
// short-rows: a warp for each row, of which only a few lanes load.
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kShortRows = "short-rows";
constexpr double kLoadsOfRows = 10e6;

/// A warp for each of 10 million rows of `lanes` words; nothing is busy. `executing` lanes execute
/// the load; absent: machine code was not recorded.
struct RowSums {
    double lanes = 2, waits = 12, width8 = 0, width64 = 0, sectors = kLoadsOfRows,
           instructions = 400e6, working = 0.5;
    std::optional<double> executing = 2;

    [[nodiscard]] KernelAnalysis analysed() const {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "sums(float const*, float*)", {2112, 1, 1}, {512, 1, 1}, 800);
        launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0.0)
            .set(stallCounter("long_scoreboard"), waits)
            .set(stallCounter("wait"), 4)
            .set(stallCounter("selected"), 4)
            .set(kGlobalLoads, kLoadsOfRows)
            .set(kGlobalLoadBytes, kLoadsOfRows * lanes * (width64 > 0 ? 8 : 4))
            .set(kGlobalLoadSectors, sectors)
            .set(kWidth8, width8)
            .set(kWidth16, 0)
            .set(kWidth32, width64 > 0 ? 0 : 2 * kLoadsOfRows)
            .set(kWidth64, width64)
            .set(kWidth128, 0)
            .set(kAsyncCopies, 0)
            .set(kWarpInstructions, instructions)
            .set(kThreadInstructions, instructions * 32 * working)
            .set(kThreadInstructionsOn, instructions * 32 * working);
        if (executing) {
            auto pass = p.sourcePass(launch);
            pass.instruction("LDG.E R4, desc[UR4][R2.64]", "/a/rows.cu", 9)
                .executed(kLoadsOfRows)
                .set("smsp__sass_thread_inst_executed_pred_on", kLoadsOfRows * *executing);
            pass.instruction("FADD R5, R5, R4", "/a/rows.cu", 9).executed(kLoadsOfRows);
        }
        return analyzeOne(p);
    }
    [[nodiscard]] bool fires() const { return find(analysed(), kShortRows) != nullptr; }
};

}  // namespace

TEST_CASE("rows of two floats leave most of a warp's lanes idle in each load") {
    const KernelAnalysis kernel = RowSums{}.analysed();
    const Finding* finding = find(kernel, kShortRows);
    REQUIRE(finding);
    CHECK(unfilled(*finding).empty());
    CHECK(finding->gainShare->value == Approx(12.0 / 20 * 30 / 32));
    CHECK(finding->after.find("lane / 2") != std::string::npos);
    REQUIRE(finding->expected.size() == 1);
    CHECK(finding->expected[0].from == kLoadsOfRows);
    CHECK(finding->expected[0].to == kLoadsOfRows / 16);
    const Finding* stall = find(kernel, "dominant-stall");
    REQUIRE(stall);
    CHECK(stall->cause == kShortRows);
    // Rows of 12 doubles: two of them fit into a warp.
    const RowSums doubles{
        .lanes = 12, .width64 = kLoadsOfRows, .sectors = 3 * kLoadsOfRows, .executing = 12};
    CHECK(doubles.fires());
    CHECK(unknown(RowSums{.executing = std::nullopt}.analysed(), kShortRows));
    CHECK_FALSE(unknown(RowSums{.working = 1, .executing = std::nullopt}.analysed(), kShortRows));
}

TEST_CASE("full warps, bytes, scattered words and other waits are no short rows") {
    CHECK_FALSE(RowSums{.lanes = 24, .sectors = 3 * kLoadsOfRows}.fires());
    CHECK_FALSE(RowSums{.width8 = kLoadsOfRows}.fires());       // 32 lanes of a byte each
    CHECK_FALSE(RowSums{.sectors = 8 * kLoadsOfRows}.fires());  // from 8 places
    CHECK_FALSE(RowSums{.executing = 32}.fires());              // all lanes read two words
    CHECK_FALSE(RowSums{.executing = 1}.fires());               // one lane loads for its warp
    CHECK_FALSE(RowSums{.waits = 2}.fires());
    CHECK_FALSE(RowSums{.instructions = 2000 * kLoadsOfRows}.fires());
}
