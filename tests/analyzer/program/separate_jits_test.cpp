// SPDX-License-Identifier: Apache-2.0
// What JAX compiles: functions of one step that it compiled apart, loops that ask the CPU.
#include <algorithm>
#include <memory>
#include <string>

#include "analyzer/program/program.h"
#include "tests/analyzer/program/judged_steps.h"
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
    return test::actionNamed(program, "separate-jits");
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

TEST_CASE("a while loop of JAX that asks the CPU in each round is named") {
    struct Case {
        const char* range = "XlaModule:#hlo_module=jit_solve,program_id=3#";
        int rounds = 100, bytes = 1;
        int modules = 1;  ///< calls of compiled functions per repeat
    };
    const auto found = [](const Case& c) {
        SyntheticProgram p;
        const bool jax = std::string(c.range).starts_with("XlaModule");
        const int perModule = c.rounds / c.modules;
        for (int i = 0; i < 8; ++i) {
            p.push("step");
            for (int r = 0; r < c.rounds; ++r) {
                if (r % perModule == 0) p.push(c.range);
                p.launch(jax ? "input_fusion" : "solve", 5).launch(jax ? "loop_fusion" : "test", 5);
                p.copy(TransferKind::DeviceToHost, MemoryKind::Pinned, c.bytes, 2).sync().work(20);
                if ((r + 1) % perModule == 0) p.pop();
            }
            // The result of the call.
            p.copy(TransferKind::DeviceToHost, MemoryKind::Pinned, 4, 2).sync();
            p.pop().work(50);
        }
        const Program program = test::judged(p.build());
        const auto action = std::ranges::find(program.actions, "while-on-cpu", &Action::rule);
        if (action == program.actions.end()) return false;
        CHECK(action->args.at(0).value == Approx(c.rounds + 1));
        return true;
    };
    CHECK(found({}));
    CHECK_FALSE(found({.bytes = 8}));  // results that the program prints
    CHECK_FALSE(found({.rounds = 4}));
    CHECK_FALSE(found({.modules = 100}));  // a loop in Python, which tests a result
    CHECK_FALSE(found({.range = "solve"}));
}

TEST_CASE("compiling a step again for other shapes belongs to the loop") {
    // 64 steps of 2 ms; before every eighth, the fifth first, XLA compiles for 200 ms.
    const auto judged = [](std::size_t until) {
        SyntheticProgram p;
        for (std::size_t i = 0; i < 64; ++i) {
            if (i % 8 == 4 && i < until) p.work(200'000);
            p.push("XlaModule:#hlo_module=jit_step,program_id=5#").launch("fusion", 2000);
            p.pop().sync().work(500);
        }
        Profile profile = p.build();
        CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
        samples.period = 5'000'000;
        samples.frames = {{.function = "backend_compile",
                           .file = "/x/site-packages/jax/_src/compiler.py",
                           .line = 395},
                          {.function = "main", .file = "/a/train.py", .line = 81}};
        samples.stacks = {{0, 1}, {1}};
        Nanoseconds at = 0;
        for (std::size_t i = 0; i < 64; ++i) {
            if (i % 8 == 4 && i < until)
                for (int k = 0; k < 40; ++k, at += samples.period)
                    samples.samples.push_back({.time = at, .thread = 0, .stack = 0});
            samples.samples.push_back({.time = at, .thread = 0, .stack = 1});
            at += 2'500'000;
        }
        return test::judged(profile);
    };
    const auto compiles = [](const Program& program) {
        return !program.actions.empty() && program.actions.front().rule == "code-compiled-in-loop";
    };
    const Program always = judged(64);
    CHECK(always.window.seconds.value == Approx(8 * 0.2 / 62 + 2.5e-3).epsilon(0.1));
    CHECK(compiles(always));
    CHECK_FALSE(compiles(judged(16)));  // once each shape was there
}
