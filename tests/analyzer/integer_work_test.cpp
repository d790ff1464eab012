// SPDX-License-Identifier: Apache-2.0
// What integer instructions are for, and integer-arithmetic where instruction issue limits.
#include "analyzer/source/integer_work.h"

#include <optional>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "analyzer/source/source_analysis.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kIntegers = "integer-arithmetic";
constexpr double kIssued = 1e9;

/// Issues instructions in 84 % of the cycles, 5 % of which access memory, and computes no floats.
LaunchRef flip(SyntheticProfile& p, double operations = 0, double accesses = 0.05) {
    return idle(p, "flip(long const*, float*)", {524'288, 1, 1}, {256, 1, 1}, 1600)
        .set(kWarpInstructions, kIssued)
        .set(kThreadInstructions, 32 * kIssued)
        .set(kThreadInstructionsOn, 32 * kIssued)
        .set(kGlobalInstructions, accesses * kIssued)
        .set(kFp32Fma, operations)
        .set(kIssueActive, 84);
}

constexpr const char* kIndex = "IMAD R0, R0, UR4, R3";
constexpr const char* kDivision = "I2F.U32.RP R5, R16";

/// An index, `steps` between it and the store of an element, and a value made from a loaded one.
KernelAnalysis withCode(const char* step, double steps, double values) {
    SyntheticProfile p(testDevice());
    auto pass = p.sourcePass(flip(p));
    const auto add = [&](const char* sass, double executed) {
        pass.instruction(sass, "a.cu", 9).executed(executed);
    };
    add(kIndex, 100);
    add(step, steps);
    add("IMAD.WIDE R2, R0, 0x4, R8", 100);
    add("LDG.E R10, desc[UR4][R2.64]", 100);
    add("LOP3.LUT R11, R10, 0x7, RZ, 0xc0, !PT", values);
    add("STG.E desc[UR4][R2.64], R11", 100);
    add("EXIT", 100);
    return analyzeOne(p);
}

std::string editOf(const KernelAnalysis& kernel) {
    const Finding* finding = find(kernel, kIntegers);
    if (!finding) return "none";
    CHECK(unfilled(*finding).empty());
    for (const Arg& arg : finding->args)
        if (arg.name == "edit") return arg.text.in(Language::En);
    return {};
}

}  // namespace

TEST_CASE("instruction issue without floats is integer arithmetic") {
    const auto found = [](double operations, double accesses = 0.05) {
        SyntheticProfile p(testDevice());
        flip(p, operations, accesses);
        const KernelAnalysis kernel = analyzeOne(p);
        const Finding* finding = find(kernel, kIntegers);
        return finding ? std::optional(finding->gainShare->value) : std::nullopt;
    };
    REQUIRE(found(0));
    CHECK(*found(0) == Approx(0.84));
    CHECK_FALSE(found(0.1 * 32 * kIssued));
    CHECK_FALSE(found(0, 0.4));    // it mostly accesses memory
    CHECK_FALSE(found(0, 0.001));  // a hash or a game: that is its work
}

TEST_CASE("the edit for integers says what the machine code computes") {
    CHECK(editOf(withCode("IADD3 R0, R0, R7, RZ", 500, 100)).find("compute addresses") !=
          std::string::npos);
    CHECK(editOf(withCode("IADD3 R0, R0, R7, RZ", 50, 900)).find("work on values") !=
          std::string::npos);
    CHECK(editOf(withCode(kDivision, 30, 100)).starts_with("Avoid the divisions"));
    CHECK(editOf(withCode(kDivision, 1, 150)).find("the others work on values") !=
          std::string::npos);
    // Moves and comparisons are neither.
    CHECK(
        editOf(withCode("IMAD.U32 R9, RZ, RZ, UR4", 500, 150)).find("the others work on values") !=
        std::string::npos);
}

TEST_CASE("addresses are told however many accesses there are") {
    SyntheticProfile p(testDevice());
    auto pass = p.sourcePass(flip(p));
    for (int i = 0; i < 400; ++i) {
        pass.instruction("IADD3 R0, R1, 0x4, RZ", "a.cu", 9).executed(100);
        pass.instruction("IMAD.WIDE R2, R0, 0x4, R8", "a.cu", 9).executed(100);
        pass.instruction("LDG.E R10, desc[UR4][R2.64]", "a.cu", 9).executed(100);
    }
    pass.instruction("EXIT", "a.cu", 9).executed(100);
    const KernelAnalysis kernel = analyzeOne(p);
    const auto work = integerWork(p.build(), *kernel.source);
    REQUIRE(work);
    CHECK(work->addresses == Approx(work->all));
}

TEST_CASE("addresses that follow from data are no address arithmetic") {
    SyntheticProfile p(testDevice());
    auto pass = p.sourcePass(flip(p));
    const auto add = [&](const char* sass, double executed, double sectors = 0) {
        auto row = pass.instruction(sass, "a.cu", 9);
        row.executed(executed);
        if (sectors > 0) row.sectors(sectors, sectors);
    };
    add("LDG.E R10, desc[UR4][R2.64]", 100, 400);
    add("LOP3.LUT R11, R10, 0x7, RZ, 0xc0, !PT", 500);
    add("IMAD.WIDE R4, R11, 0x4, R8", 100);
    add("LDG.E R12, desc[UR4][R4.64]", 100, 800);
    add("EXIT", 100);
    const KernelAnalysis kernel = analyzeOne(p);
    REQUIRE(kernel.source);
    const auto work = integerWork(p.build(), *kernel.source);
    REQUIRE(work);
    CHECK(work->all == Approx(600.0 / 900));
    CHECK(work->addresses == 0);
    CHECK(work->divisions == 0);
}
