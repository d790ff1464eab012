// SPDX-License-Identifier: Apache-2.0
// generator-setup: curand_init in kernels of the program, by the lines of cuRAND's header.
#include <string>
#include <utility>
#include <vector>

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
    std::uint32_t line = 326;        ///< of the header
    const char* header = kHeader;
    int launches = 3;
    bool readable = true;  ///< the header could be read when it was recorded
};

/// A kernel that draws a few numbers, most of whose instructions lie in a header. There, skipping
/// ahead begins at line 320, and drawing at line 700.
SyntheticProfile drawing(const Code& code) {
    SyntheticProfile p(testDevice());
    auto pass =
        p.sourcePass(idle(p, "wander(Params, Population, int)", {15625, 1, 1}, {256, 1, 1}, 10000)
                         .set(kIssueActive, 66)
                         .set(kLsuPipe, 96)
                         .set(kWarpInstructions, (code.inHeader + code.own) * 1e6));
    for (int i = 1; i < code.launches; ++i)
        p.profile().launches.push_back(p.profile().launches.front());
    pass.instruction("LDG.E R4, desc[UR4][R2.64]", code.header, code.line)
        .executed(code.inHeader * 1e6);
    pass.instruction("IADD3 R0, R0, 0x1, RZ", "/a/epidemic.cu", 84).executed(code.own * 1e6);
    if (code.readable) {
        SourceText text{.file = 0, .firstLine = 310, .lines = std::vector<std::string>(400)};
        text.lines[10] = "QUALIFIERS void __curand_matvec_inplace(";
        text.lines[390] = "QUALIFIERS unsigned int curand(curandStateXORWOW_t *state)";
        p.profile().sources.back().texts.push_back(std::move(text));
    }
    return p;
}

bool fires(const Code& code) { return find(analyzeOne(drawing(code)), kGeneratorSetup); }

}  // namespace

TEST_CASE("generator-setup names the lines that skip ahead and what share they take") {
    const KernelAnalysis kernel = analyzeOne(drawing({}));
    const Finding* finding = find(kernel, kGeneratorSetup);
    REQUIRE(finding);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->evidence[0].value == Approx(0.8));
    CHECK(finding->gainShare->value == Approx(0.8).epsilon(0.01));
    REQUIRE_FALSE(finding->places.empty());
    CHECK(finding->places[0].line == 326U);
}

TEST_CASE("generator-setup is silent where numbers are drawn, where it is little, or done once") {
    CHECK(fires({}));
    CHECK_FALSE(fires({.line = 705}));  // thousands of numbers, states in memory
    CHECK(fires({.inHeader = 31, .own = 69}));
    CHECK_FALSE(fires({.inHeader = 29, .own = 71}));
    CHECK_FALSE(fires({.header = "/a/my_curand_kernel.h"}));
    CHECK_FALSE(fires({.launches = 1}));  // what the edit asks for
    CHECK_FALSE(fires({.readable = false}));
}
