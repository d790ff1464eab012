// SPDX-License-Identifier: Apache-2.0
// memory-sum: values in global memory that a loop loads, changes and stores in each round.
#include <optional>

#include "analyzer/counters/counter_names.h"
#include "analyzer/source/sampled_stalls.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kMemorySum = "memory-sum";
constexpr double kWarpsOfSum = 2112 * 8;

/// A loop of 100 rounds that adds to a value in memory.
struct Accumulation {
    const char* load = "LDG.E R27, desc[UR6][R8.64]";
    const char* add = "FADD R27, R27, R42";
    const char* store = "STG.E desc[UR6][R8.64], R27";
    const char* step = "IADD3 R5, R5, 0x1, RZ";
    double rounds = 100;
    std::optional<double> samples = {};  ///< at the addition, of 1,000

    [[nodiscard]] KernelAnalysis analysed() const {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "walk(float*, int)", {2112, 1, 1}, {256, 1, 1}, 500);
        auto pass = p.sourcePass(launch);
        const auto instruction = [&](const char* sass, double times, double at = 0) {
            auto row = pass.instruction(sass, "a.cu", 9);
            row.executed(times * kWarpsOfSum);
            if (samples) row.set(sampledStallCounter("long_scoreboard"), at);
        };
        instruction("IMAD.WIDE R8, R0, 0x4, R2", 1);
        instruction("FFMA R42, R42, R43, R44", rounds, samples ? 1000 - *samples : 0);
        instruction(load, rounds);
        instruction(add, rounds, samples.value_or(0));
        instruction(store, rounds);
        instruction(step, rounds);
        instruction("@!P0 BRA 0x10", rounds);
        instruction("EXIT", 1);
        return analyzeOne(p);
    }
    [[nodiscard]] std::optional<double> gain() const {
        const KernelAnalysis kernel = analysed();
        const Finding* finding = find(kernel, kMemorySum);
        if (!finding) return std::nullopt;
        CHECK(unfilled(*finding).empty());
        CHECK(finding->places.size() == 1);
        return finding->gainShare->value;
    }
};

}  // namespace

TEST_CASE("a sum that a loop keeps in memory is told, by samples or by instructions") {
    REQUIRE(Accumulation{}.gain());
    CHECK(*Accumulation{}.gain() == Approx(200.0 / 602));
    REQUIRE(Accumulation{.samples = 180}.gain());
    CHECK(*Accumulation{.samples = 180}.gain() == Approx(0.18));
    CHECK_FALSE(Accumulation{.samples = 20}.gain());
}

TEST_CASE("other addresses, values and short loops are no sums in memory") {
    CHECK_FALSE(Accumulation{.store = "STG.E desc[UR6][R8.64+0x4], R27"}.gain());
    CHECK_FALSE(Accumulation{.store = "STG.E desc[UR6][R8.64], R42"}.gain());  // another value
    CHECK_FALSE(Accumulation{.step = "IADD3 R8, P0, R8, 0x4, RZ"}.gain());  // goes along an array
    CHECK_FALSE(Accumulation{.rounds = 8}.gain());
    CHECK_FALSE(Accumulation{.load = "LDS R27, [R8]"}.gain());
    // Other threads need the values in between, or change them.
    CHECK_FALSE(Accumulation{.step = "BAR.SYNC.DEFER_BLOCKING 0x0"}.gain());
    CHECK_FALSE(Accumulation{.step = "ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR6][R2.64], R5"}.gain());
    CHECK_FALSE(Accumulation{.load = "LDG.E.STRONG.SYS R27, desc[UR6][R8.64]"}.gain());
    CHECK_FALSE(Accumulation{.step = "LDG.E R44, desc[UR6][R8.64+0x4]"}.gain());
}
