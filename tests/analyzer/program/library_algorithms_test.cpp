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

namespace {

/// Ten steps of CuPy operators on whole arrays, 60 launches of 80 µs, and `others` of 80 µs.
const Action* cupyAction(Program& kept, int others, double us = 80,
                         const char* copy = "cupy_copy__float32_float32") {
    SyntheticProgram p;
    for (int i = 0; i < 10; ++i) {
        p.push("step");
        for (int k = 0; k < 20; ++k)
            p.launch("cupy_add__float32_float32_float32", us)
                .launch("cupy_multiply__float_float32_float32", us)
                .launch(copy, us);
        for (int k = 0; k < others; ++k) p.launch("cupy_cub_sum", 80);
        p.sync().pop();
    }
    Profile profile = p.build();
    for (Kernel& kernel : profile.kernels) kernel.symbol = kernel.name;
    kept = analyzeProgram(analyze(std::make_shared<const Profile>(std::move(profile))));
    return test::actionNamed(kept, "unfused-elementwise");
}

}  // namespace

TEST_CASE("CuPy's operators on whole arrays are told to become one kernel") {
    Program program;
    const Action* action = cupyAction(program, 1);
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    // All but three of the longest for each part between other kernels.
    CHECK(action->bound.value == Approx((60 - 3 * 2) * 80e-6).epsilon(0.02));
    CHECK(action->kernels.size() == 3);
    CHECK(action->edit.in(Language::En).find("cupy.RawKernel") != std::string::npos);
    // Other kernels between them, and a small part of the time.
    CHECK_FALSE(cupyAction(program, 10));
    CHECK_FALSE(cupyAction(program, 1, 0.5));
}

TEST_CASE("a loop over a recurrent cell is told to give way to the layer") {
    const auto edit = [](const char* cell, int steps) {
        SyntheticProgram p;
        for (int i = 0; i < 10; ++i) {
            p.push("step");
            for (int k = 0; k < steps; ++k) p.work(20).launch(cell, 3).launch("gemm(int)", 3);
            p.sync().pop();
        }
        Profile profile = p.build();
        for (Kernel& kernel : profile.kernels) kernel.symbol = "_ZN2at6native" + kernel.name;
        const Program program =
            analyzeProgram(analyze(std::make_shared<const Profile>(std::move(profile))));
        const Action* action = test::actionNamed(program, "launch-bound-program");
        if (!action) action = test::actionNamed(program, "host-bound-program");
        return action ? action->edit.in(Language::En) : std::string();
    };
    constexpr const char* kCell =
        "void at::native::(anonymous namespace)::kernel::gru_cell_forward<float, float, int, 1>()";
    CHECK(edit(kCell, 98).starts_with("Replace the loop over a recurrent cell"));
    CHECK(edit(kCell, 4).find("recurrent") == std::string::npos);
    CHECK(edit("void at::native::_thnn_other<float>()", 98).find("recurrent") == std::string::npos);
}
