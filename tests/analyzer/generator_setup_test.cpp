// SPDX-License-Identifier: Apache-2.0
// generator-setup: curand_init in kernels of the program, by the lines of cuRAND's header.
#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kGeneratorSetup = "generator-setup";
constexpr const char* kHeader = "/usr/local/cuda/include/curand_kernel.h";

struct Code {
    double inHeader = 80, own = 20;  ///< warp instructions, in millions
    int loads = 4, others = 12;      ///< instructions of the header
    const char* header = kHeader;
};

/// A kernel that draws a few numbers, most of whose instructions lie in a header.
SyntheticProfile drawing(const Code& code) {
    SyntheticProfile p(testDevice());
    auto pass =
        p.sourcePass(idle(p, "wander(Params, Population, int)", {15625, 1, 1}, {256, 1, 1}, 10000)
                         .set(kIssueActive, 66)
                         .set(kLsuPipe, 96)
                         .set(kWarpInstructions, (code.inHeader + code.own) * 1e6));
    const double each = code.inHeader * 1e6 / (code.loads + code.others);
    for (int i = 0; i < code.loads; ++i)
        pass.instruction("LDG.E R4, desc[UR4][R2.64]", code.header, 326).executed(each);
    for (int i = 0; i < code.others; ++i)
        pass.instruction("LOP3.LUT R5, R5, R4, RZ, 0x3c, !PT", code.header, 326).executed(each);
    pass.instruction("IADD3 R0, R0, 0x1, RZ", "/a/epidemic.cu", 84).executed(code.own * 1e6);
    return p;
}

bool fires(const Code& code) { return find(analyzeOne(drawing(code)), kGeneratorSetup); }

}  // namespace

TEST_CASE("generator-setup names the lines of curand_init and what share they take") {
    const KernelAnalysis kernel = analyzeOne(drawing({}));
    const Finding* finding = find(kernel, kGeneratorSetup);
    REQUIRE(finding);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->evidence[0].value == Approx(0.8));
    CHECK(finding->gainShare->value == Approx(0.8).epsilon(0.01));
    REQUIRE_FALSE(finding->places.empty());
    CHECK(finding->places[0].line == 326U);
}

TEST_CASE("generator-setup is silent where numbers are drawn, or where it is little") {
    CHECK(fires({}));
    CHECK_FALSE(fires({.loads = 0, .others = 16}));  // Philox, or thousands of draws
    CHECK_FALSE(fires({.loads = 1, .others = 30}));
    CHECK(fires({.inHeader = 31, .own = 69}));
    CHECK_FALSE(fires({.inHeader = 29, .own = 71}));
    CHECK_FALSE(fires({.header = "/a/my_curand_kernel.h"}));
}
