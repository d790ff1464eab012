// SPDX-License-Identifier: Apache-2.0
// Functions of one step that JAX compiled apart.
#include <algorithm>
#include <memory>
#include <string>

#include "analyzer/program/program.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

/// Steps of three compiled functions: `perFunction` kernels of 100 µs in the first, one of 80 µs in
/// the second, one of 60 µs in the third. A fourth runs twice in each step.
Analysis steps(int perFunction, double atDram = 1) {
    SyntheticProgram p;
    const auto call = [&](const char* module, const char* kernel, int count, double time) {
        p.push(std::string("XlaModule:#hlo_module=") + module + ",program_id=5#");
        for (int i = 0; i < count; ++i) p.launch(kernel + std::to_string(i), time);
        p.pop();
    };
    for (int i = 0; i < 30; ++i) {
        call("jit_collide", "collide", perFunction, 100);
        call("jit_stream", "stream", 1, 80);
        call("jit_walls", "walls", 1, 60);
        call("jit_half", "half", 1, 20);
        call("jit_half", "half", 1, 20);
        p.sync().work(5);
    }
    Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.findings.clear();
        kernel.verdict.cls = VerdictClass::NearRoof;
        kernel.verdict.limiter = atDram > 0 ? ResourceId::Dram : ResourceId::Issue;
    }
    return analysis;
}

const Action* actionOf(const Program& program) {
    const auto found = std::ranges::find(program.actions, "separate-jits", &Action::rule);
    return found == program.actions.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("functions that each pass over the arrays are to be compiled as one") {
    const Program program = analyzeProgram(steps(1));
    const Action* action = actionOf(program);
    REQUIRE(action);
    // All but the longest. What runs more often is not a part of the chain.
    CHECK(action->bound.value == Approx(140e-6));
    CHECK(action->kernels.size() == 3);
    const auto names = std::ranges::find(action->args, "names", &Arg::name);
    REQUIRE(names != action->args.end());
    CHECK(names->text.in(Language::En) == "jit_collide, jit_stream, jit_walls");
}

TEST_CASE("functions of many kernels, or that do not wait for the DRAM, stay apart") {
    const Program training = analyzeProgram(steps(12));
    const Action* two = actionOf(training);
    REQUIRE(two);  // of the two short ones
    CHECK(two->kernels.size() == 2);
    CHECK_FALSE(actionOf(analyzeProgram(steps(1, 0))));
}
