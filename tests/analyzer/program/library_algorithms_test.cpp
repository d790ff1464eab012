// SPDX-License-Identifier: Apache-2.0
// Library kernels that another algorithm would replace.
#include <memory>
#include <string_view>

#include "analyzer/program/program.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kSolve =
    "void cusparse::spsm_v2_kernel<int, float, 8, 32, 8, 16, 1>(int, int, long)";

/// Ten iterations: two of `solve`, which take `microseconds` each, and a product of 100 µs.
const Action* solveAction(Program& program, std::string_view solve, double microseconds,
                          VerdictClass cls = VerdictClass::LatencyBound) {
    SyntheticProgram p;
    for (int i = 0; i < 10; ++i) {
        p.push("iteration").launch(solve, microseconds).launch(solve, microseconds);
        p.launch("void cusparse::csrmv_v3_kernel<float>(int)", 100).sync().pop();
    }
    Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.verdict.cls = cls;
        kernel.verdict.limiter.reset();
        if (cls == VerdictClass::MemoryBound) kernel.verdict.limiter = ResourceId::Dram;
    }
    program = analyzeProgram(analysis);
    return test::actionNamed(program, "triangular-solve");
}

}  // namespace

TEST_CASE("sparse triangular solves that leave the GPU empty are told to give way") {
    Program program;
    const Action* action = solveAction(program, kSolve, 1000);
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    CHECK(action->estimate);
    CHECK(action->bound.value == Approx(1000e-6).epsilon(0.02));
    CHECK(action->edit.in(Language::En).find("Jacobi") != std::string::npos);
}

TEST_CASE("triangular solves stay where they are short or busy, and other kernels always") {
    Program program;
    CHECK_FALSE(solveAction(program, kSolve, 5));
    CHECK_FALSE(solveAction(program, kSolve, 1000, VerdictClass::MemoryBound));
    CHECK_FALSE(solveAction(program, kSolve, 1000, VerdictClass::Unknown));  // not counted
    CHECK_FALSE(solveAction(program, "void cusparse::csrmm_alg2_kernel<float>(int)", 1000));
    CHECK_FALSE(solveAction(program, "spsm_v2_of_the_program(int)", 1000));
}

TEST_CASE("FFTs by Bluestein's algorithm are told to choose another length") {
    const auto action = [](Program& kept, std::string_view kernel, double us) {
        SyntheticProgram p;
        for (int i = 0; i < 10; ++i)
            p.push("batch").launch(kernel, us).launch("peak(float2*)", 100).sync().pop();
        kept = analyzeProgram(analyze(std::make_shared<const Profile>(p.build())));
        return test::actionNamed(kept, "fft-length");
    };
    constexpr const char* kBluestein =
        "void multi_bluestein_fft<25u, EPT<5u>, 64u, 0u, (padding_t)14, (twiddle_t)0, "
        "(loadstore_modifier_t)2, (layout_t)1, unsigned int, float>(int)";
    Program program;
    const Action* found = action(program, kBluestein, 600);
    REQUIRE(found);
    CHECK(found == &program.actions.front());
    CHECK(found->estimate);
    CHECK(found->bound.value == Approx(450e-6).epsilon(0.02));
    CHECK(found->edit.in(Language::En).find("2, 3, 5 and 7") != std::string::npos);
    CHECK_FALSE(action(program, kBluestein, 5));
    CHECK_FALSE(action(program, "bluestein(float2*)", 600));  // the program's own
    CHECK_FALSE(action(program,
                       "void regular_fft_factor<27u, EPT<9u>, 32u, 0u, (padding_t)14, "
                       "(twiddle_t)0, (layout_t)1, unsigned int, double>(int)",
                       600));
}
