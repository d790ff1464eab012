// SPDX-License-Identifier: Apache-2.0
// Loops over items that CPU samples and the order of launches show, where no lines were noted.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

struct Case {
    std::string inLoop = "max";          ///< a kernel of each round
    std::string function = "nms";        ///< whose lines launch
    std::string caller = "postprocess";  ///< has one line
    int images = 8, classes = 20, rounds = 15;
};

/// Each image has classes, and each class its rounds. The thread is sampled each 20 µs.
Action launchAction(const Case& c) {
    SyntheticProgram p;
    p.launch("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi", 1).sync();
    for (int image = 0; image < c.images; ++image) {
        p.launch("conv" + std::to_string(image), 20);
        for (int i = 0; i < c.classes; ++i) {
            p.launch("sort", 1).work(5);
            for (int r = 0; r < c.rounds + i % 3; ++r)
                p.launch("mask", 1).work(5).launch(c.inLoop, 1).work(5).launch("index", 1).work(5);
        }
    }
    p.sync();
    Profile profile = p.build();
    const Nanoseconds end = p.now();
    CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
    samples.period = 20'000;
    samples.frames = {
        {.function = "box_iou", .file = "/home/me/detect.py", .line = 85},
        {.function = c.function, .file = "/home/me/detect.py", .line = 102},
        {.function = c.function, .file = "/home/me/detect.py", .line = 98},
        {.function = c.caller, .file = "/home/me/detect.py", .line = 122},
        {.function = "Module._call_impl", .file = "/usr/lib/python3/site-packages/torch/m.py"}};
    samples.stacks = {{0, 1, 3}, {4, 2, 3}};
    for (Nanoseconds at = 0, i = 0; at < end; at += samples.period, ++i)
        samples.samples.push_back(
            {.time = at - 1'000'000, .thread = 0, .stack = static_cast<std::uint32_t>(i % 2)});
    const Program program = test::judged(profile);
    const Action* found = test::actionNamed(program, "launch-bound-program");
    REQUIRE(found);
    return *found;
}

std::string loopOf(const Action& action) {
    const auto loop = std::ranges::find(action.args, "loop", &Arg::name);
    return loop == action.args.end() ? "" : loop->text.in(Language::En);
}

}  // namespace

TEST_CASE("a loop over items is named by samples and by the order of launches") {
    // The innermost function with lines of three quarters of the samples, not its helper.
    const Action action = launchAction({});
    CHECK(loopOf(action) == "detect.py:98–102 (nms)");
    CHECK(action.edit.in(Language::En).starts_with("Do the rounds of the loop at {loop} all at"));
}

TEST_CASE("layers, functions of networks and few rounds are no loop over items") {
    CHECK(loopOf(launchAction({.inLoop = "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64"}))
              .empty());
    CHECK(loopOf(launchAction({.function = "Block.forward"})).empty());
    CHECK(loopOf(launchAction({.images = 2, .classes = 1, .rounds = 10})).empty());
}
