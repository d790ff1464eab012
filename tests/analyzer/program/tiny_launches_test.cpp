// SPDX-License-Identifier: Apache-2.0
// Thousands of short launches of a few blocks, and programs that only look like them.
#include <algorithm>
#include <string>
#include <string_view>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;
using test::argument;

namespace {

constexpr const char* kTinyLaunches = "tiny-launches";

struct TinySteps {
    int repeats = 1500;
    double us = 2;
    std::uint32_t blocks = 1;
    const char* name = "route_level(float*)";
    int launches = 1;         ///< in each step
    const char* beside = "";  ///< another kernel, launched once at the end
    bool waits = false;       ///< in each step
    bool graphs = false;      ///< the launches come from CUDA graphs
    double host = 0;          ///< microseconds of work on the CPU between launches
};

Program judgedTiny(const TinySteps& steps) {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < steps.repeats; ++i) {
        p.push("step");
        for (int k = 0; k < steps.launches; ++k) p.launch(steps.name, steps.us);
        if (steps.waits) p.sync();
        if (steps.host > 0) p.work(steps.host);
        p.pop();
    }
    if (*steps.beside) p.launch(steps.beside, 1);
    p.sync();
    Profile profile = p.build();
    for (Launch& launch : profile.launches) {
        launch.grid = {steps.blocks, 1, 1};
        launch.fromGraph = steps.graphs;
    }
    return judged(profile);
}

}  // namespace

TEST_CASE("thousands of tiny launches are told to become steps of one kernel") {
    const Program program = judgedTiny({});
    const Action* action = actionNamed(program, kTinyLaunches);
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    // A launch takes 4 us of the CPU; a barrier in a kernel 1 us.
    CHECK(program.window.seconds.value * 1e6 == Approx(4).margin(0.1));
    CHECK(action->bound.value * 1e6 == Approx(3).margin(0.1));
    CHECK(action->estimate);
    CHECK(argument(*action, "blocks") == 1);
    CHECK(argument(*action, "sms") == 132);
    CHECK(argument(*action, "launches") == Approx(1500).margin(10));
    CHECK(argument(*action, "time") * 1e6 == Approx(2).margin(0.1));
    CHECK(argument(*action, "idle") * 1e6 == Approx(2).margin(0.1));
    CHECK(action->edit.in(Language::En).find("cooperative groups") != std::string::npos);
    CHECK_FALSE(actionNamed(program, "launch-bound-program"));
    CHECK_FALSE(actionNamed(program, "grid-too-small"));
    CHECK_FALSE(program.unanswered);
}

TEST_CASE("a few tiny launches per repeat count, many do not") {
    CHECK(actionNamed(judgedTiny({.launches = 3}), kTinyLaunches));
    CHECK_FALSE(actionNamed(judgedTiny({.launches = 12}), kTinyLaunches));
}

TEST_CASE("large grids, longer kernels and few repeats are no tiny launches") {
    CHECK_FALSE(actionNamed(judgedTiny({.blocks = 64}), kTinyLaunches));
    CHECK_FALSE(actionNamed(judgedTiny({.us = 60}), kTinyLaunches));
    CHECK_FALSE(actionNamed(judgedTiny({.repeats = 400}), kTinyLaunches));
}

TEST_CASE("graphs, libraries, frameworks and repeats that wait keep their own advice") {
    CHECK_FALSE(actionNamed(judgedTiny({.graphs = true}), kTinyLaunches));
    CHECK_FALSE(actionNamed(
        judgedTiny({.name = "void cub::DeviceReduceSingleTileKernel<float>(int)"}), kTinyLaunches));
    CHECK_FALSE(
        actionNamed(judgedTiny({.beside = "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi"}),
                    kTinyLaunches));
    CHECK_FALSE(
        actionNamed(judgedTiny({.beside = "cupy_add__float32_float32_float32"}), kTinyLaunches));
    const Program waiting = judgedTiny({.waits = true});
    CHECK_FALSE(actionNamed(waiting, kTinyLaunches));
    CHECK(actionNamed(waiting, "wait-per-repeat"));
    // The CPU works between the launches.
    CHECK_FALSE(actionNamed(judgedTiny({.host = 60}), kTinyLaunches));
}
