// SPDX-License-Identifier: Apache-2.0
// short-blocks: blocks without a loop that mostly set up and wait at barriers.
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/source/sampled_stalls.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

/// Of 1,000 samples: before the first barrier, waiting at it, and after.
struct Staged {
    double before = 250, atBarrier = 200;
    std::uint32_t blocks = 200'000;
    const char* end = "EXIT";
    const char* barrier = "BAR.SYNC.DEFER_BLOCKING 0x0";
    double dram = 0;  ///< bytes

    [[nodiscard]] std::optional<double> gain() const {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "pairs(float*, int)", {blocks, 1, 1}, {256, 1, 1}, 9'000)
                          .set(kIssueActive, 63)
                          .set("dram__bytes_read.sum", dram);
        auto pass = p.sourcePass(launch);
        const std::string issuing = sampledStallCounter("selected"),
                          waiting = sampledStallCounter("barrier");
        pass.instruction("IMAD R2, R3, UR4, R4").set(issuing, before).set(waiting, 0);
        pass.instruction(barrier).set(issuing, 0).set(waiting, 0);
        pass.instruction("LDS R0, [R8]").set(issuing, 0).set(waiting, atBarrier);
        pass.instruction("FFMA R9, R9, R9, R0").set(issuing, 1000 - before - atBarrier);
        pass.instruction(end).set(issuing, end[0] == '@' ? 1 : 0).set(waiting, 0);
        pass.instruction("BRA 0x50").set(issuing, 0).set(waiting, 0);  // where the code ends
        const KernelAnalysis kernel = analyzeOne(p);
        CHECK(unfilled(kernel).empty());
        const Finding* finding = find(kernel, "short-blocks");
        if (!finding) return std::nullopt;
        return finding->gainShare->value;
    }
};

}  // namespace

TEST_CASE("blocks that mostly set up are told to do more each") {
    REQUIRE(Staged{}.gain());
    CHECK(*Staged{}.gain() == Approx(0.45));
    CHECK_FALSE(Staged{.before = 150, .atBarrier = 100}.gain());
}

TEST_CASE("loops, few waves, code without barriers and busy memory are left alone") {
    CHECK_FALSE(Staged{.end = "@P0 BRA 0x20"}.gain());
    CHECK_FALSE(Staged{.blocks = 8'000}.gain());
    CHECK_FALSE(Staged{.barrier = "NOP"}.gain());
    CHECK_FALSE(Staged{.dram = 36e9}.gain());
    // The work comes before the barrier of a last sum.
    CHECK_FALSE(Staged{.before = 850, .atBarrier = 50}.gain());
}
