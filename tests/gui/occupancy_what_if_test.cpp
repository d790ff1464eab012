// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/occupancy_what_if.h"

#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// 64 warps, 65,536 registers and 233,472 B of shared memory, 1,024 B of it reserved per block.
Analysis analysisOf(std::uint32_t registers, std::uint32_t threads,
                    std::optional<std::uint32_t> driver = std::nullopt) {
    SyntheticProfile p;
    p.launch(p.kernel("k()"), {1000, 1, 1}, {threads, 1, 1}).counterDurationUs(10);
    Profile profile = p.build();
    profile.kernels[0].registersPerThread = registers;
    profile.kernels[0].staticSharedBytes = 0;
    profile.launches[0].residentBlocksPerSm = driver;
    return analyze(std::make_shared<const Profile>(profile));
}

QString answer(const OccupancyQuestion& question, std::uint64_t threads, std::uint32_t registers,
               std::uint64_t shared) {
    return occupancyAnswer(question, {threads, registers, shared}).replace(QChar::Nbsp, ' ');
}

}  // namespace

TEST_CASE("what-if: occupancy of another block, beside that of the one that ran") {
    coreApp();
    const OccupancyStart start = occupancyStart(analysisOf(32, 256), 0);
    REQUIRE(start.question);
    const OccupancyQuestion& q = *start.question;
    CHECK(q.launched.threads == 256);
    CHECK(q.mostThreads == 1024);
    CHECK(q.mostSharedBytes == 232448);
    // 64 warps / 8 per block = 8 blocks.
    CHECK(answer(q, 256, 32, 0) == "8 blocks per SM, 64 of 64 warps: 100 %");
    // 128 × 32 = 4,096 registers per warp: 4 warps on each quarter of 16,384, 16 in all, 2 blocks.
    CHECK(answer(q, 256, 128, 0) ==
          "2 blocks per SM, 16 of 64 warps: 25 % (as launched 100 %), limited by registers");
    // 49,152 + 1,024 = 50,176 B: 4 blocks.
    CHECK(answer(q, 256, 32, 49152) ==
          "4 blocks per SM, 32 of 64 warps: 50 % (as launched 100 %), limited by shared memory");
    // 255 registers, 1,024 threads: 8 warps per quarter needed, but only 2 fit.
    CHECK(answer(q, 1024, 255, 0) == "Such a block does not fit into an SM");
    CHECK(answer(q, 1, 16, 0).startsWith("32 blocks per SM, 32 of 64 warps: 50 %"));
}

TEST_CASE("what-if is silent where the formula cannot tell") {
    coreApp();
    // The driver reports fewer blocks than the formula: something else limits them.
    const OccupancyStart other = occupancyStart(analysisOf(32, 256, 5), 0);
    CHECK_FALSE(other.question);
    CHECK(other.reason.contains("disagree"));
    CHECK(occupancyStart(analysisOf(32, 256, 8), 0).question);

    SyntheticProfile p;
    p.launch(p.kernel("k()"), {1, 1, 1}, {32, 1, 1});
    Profile profile = p.build();
    profile.kernels[0].registersPerThread.reset();
    CHECK(occupancyStart(analyze(std::make_shared<const Profile>(profile)), 0)
              .reason.contains("not known"));
    profile = p.build();
    profile.kernels[0].registersPerThread = 32;
    profile.kernels[0].staticSharedBytes = 0;
    profile.devices[0].registersPerSm.reset();
    CHECK(occupancyStart(analyze(std::make_shared<const Profile>(profile)), 0)
              .reason.contains("limits of this GPU"));
    CHECK_FALSE(occupancyStart(analysisOf(32, 256), std::nullopt).question);
    CHECK_FALSE(occupancyStart(analysisOf(32, 256), 99).question);
}
