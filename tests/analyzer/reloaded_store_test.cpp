// SPDX-License-Identifier: Apache-2.0
// reloaded-store: loads of what the same thread stored a little earlier.
#include <optional>
#include <vector>

#include "analyzer/source/sampled_stalls.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr const char* kReloaded = "reloaded-store";

/// A thread that stores a value, does something and loads it again. `samples` of 1,000 wait for it.
struct Scratch {
    const char* store = "STG.E desc[UR6][R8.64+0x4], R27";
    const char* between = "FFMA R42, R42, R43, R44";
    const char* load = "LDG.E R30, desc[UR6][R8.64+0x4]";
    const char* first = "IMAD.WIDE R8, R0, 0x4, R2";
    const char* last = "EXIT";
    double samples = 400;

    [[nodiscard]] std::optional<double> gain() const {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "att(float*, int)", {2112, 1, 1}, {256, 1, 1}, 9'000);
        auto pass = p.sourcePass(launch);
        const std::string waiting = sampledStallCounter("long_scoreboard");
        pass.instruction(first, "a.cu", 8).set(waiting, 0);
        pass.instruction(store, "a.cu", 9).set(waiting, 0);
        pass.instruction(between, "a.cu", 10).set(waiting, 0);
        pass.instruction(load, "a.cu", 11).set(waiting, 0);
        pass.instruction("LDG.E R31, desc[UR6][R12.64]", "a.cu", 12).set(waiting, 0);
        pass.instruction("FADD R33, R31, R43", "a.cu", 12).set(waiting, 1000 - samples);
        pass.instruction("FADD R32, R30, R43", "a.cu", 13).set(waiting, samples);
        pass.instruction(last, "a.cu", 14).set(waiting, 0);
        const KernelAnalysis kernel = analyzeOne(p);
        CHECK(unfilled(kernel).empty());
        const Finding* finding = find(kernel, kReloaded);
        if (!finding) return std::nullopt;
        REQUIRE(finding->places.size() == 1);
        CHECK(finding->places[0].line == 11);
        return finding->gainShare->value;
    }
};

}  // namespace

TEST_CASE("a value that goes through global memory is told by the time that warps wait for it") {
    REQUIRE(Scratch{}.gain());
    CHECK(*Scratch{}.gain() == Approx(0.4));
    // The compiler's division for rare arguments does not touch memory.
    CHECK(
        Scratch{.between = "CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div_rn_slowpath)"}.gain());
    CHECK_FALSE(Scratch{.samples = 100}.gain());
}

TEST_CASE("other places, moved addresses and memory that threads share are no such values") {
    CHECK_FALSE(Scratch{.load = "LDG.E R30, desc[UR6][R8.64]"}.gain());
    CHECK_FALSE(Scratch{.load = "LDG.E.64 R30, desc[UR6][R8.64+0x4]"}.gain());
    CHECK_FALSE(Scratch{.between = "IADD3 R8, P0, R8, 0x4, RZ"}.gain());
    CHECK_FALSE(Scratch{.between = "BAR.SYNC.DEFER_BLOCKING 0x0"}.gain());
    CHECK_FALSE(Scratch{.between = "REDG.E.ADD.STRONG.GPU desc[UR6][R2.64], R5"}.gain());
    CHECK_FALSE(Scratch{.between = "CALL.REL.NOINC `(_Z6helperPf)"}.gain());
    CHECK_FALSE(Scratch{.store = "STS [R8+0x4], R27"}.gain());
    CHECK_FALSE(Scratch{.load = "LDG.E.STRONG.SYS R30, desc[UR6][R8.64+0x4]"}.gain());
    CHECK_FALSE(Scratch{.store = "STG.E desc[UR6][R8.64+UR4], R27",
                        .between = "UIADD3 UR4, UR4, 0x4, URZ",
                        .load = "LDG.E R30, desc[UR6][R8.64+UR4]"}
                    .gain());
}

TEST_CASE("a store on another way than the load's is none of its values") {
    // if (…) { store; return; } load
    CHECK_FALSE(Scratch{.between = "EXIT"}.gain());
    // if (…) store; else load
    CHECK_FALSE(Scratch{.between = "BRA 0x70"}.gain());
    CHECK_FALSE(Scratch{.store = "@P0 STG.E desc[UR6][R8.64+0x4], R27"}.gain());
    // A jump from before the store leads to the load: the store was left out. From after it: not.
    CHECK_FALSE(Scratch{.first = "@P0 BRA 0x30"}.gain());
    CHECK(Scratch{.between = "@P0 BRA 0x30"}.gain());
    // A loop begins between the two.
    CHECK_FALSE(Scratch{.last = "@P0 BRA 0x20"}.gain());
    CHECK(Scratch{.last = "@P0 BRA 0x10"}.gain());
    CHECK_FALSE(Scratch{.between = "@P0 BRA 0x30", .last = "@P0 BRA 0x30"}.gain());
}
