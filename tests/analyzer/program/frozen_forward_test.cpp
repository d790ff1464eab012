// SPDX-License-Identifier: Apache-2.0
// Parts of a PyTorch model through which no gradient passes.
#include <string>
#include <string_view>
#include <vector>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;

namespace {

/// A place that launches a kernel of a training step.
struct Operator {
    const char* kernel;
    double us;
    const char* op;
    const char* sizes;
    std::uint32_t line;
    const char* function;
    const char* backward = "";  ///< autograd's function; the line is then that of the forward pass
};

/// A frozen backbone of two lines, and a head that is trained.
const std::vector<Operator> kProbe{
    {"convolve_stem(int)", 900, "aten::cudnn_convolution", "[256, 3, 128, 128], [64, 3, 7, 7]", 20,
     "Backbone.forward"},
    {"max_pool(int)", 300, "aten::max_pool2d_with_indices", "[256, 64, 64, 64]", 21,
     "Backbone.forward"},
    {"head_gemm(int)", 100, "aten::addmm", "[12], [256, 512], [512, 12]", 40, "Head.forward"},
    {"head_gemm_dgrad(int)", 100, "aten::mm", "", 40, "Head.forward", "AddmmBackward0"}};

/// The action for ten steps of these.
const Action* frozenAction(const std::vector<Operator>& operators, Program& kept) {
    SyntheticProgram p;
    for (int i = 0; i < 10; ++i) {
        p.push("step");
        for (const Operator& one : operators) p.launch(one.kernel, one.us);
        p.sync().pop();
    }
    Profile profile = p.build();
    for (Launch& launch : profile.launches) launch.grid = {4096, 1, 1};
    for (std::uint32_t k = 0; k < profile.kernels.size(); ++k) {
        profile.kernels[k].symbol = "_ZN2at6native" + std::to_string(k);
        for (const Operator& one : operators) {
            if (profile.kernels[k].name != one.kernel) continue;
            const bool back = *one.backward != 0;
            CallSite site{.kernel = k,
                          .file = "/app/train.py",
                          .line = back ? 60 : one.line,
                          .function = back ? "main" : one.function};
            site.op = one.op;
            site.sizes = one.sizes;
            site.backward = one.backward;
            if (back)
                site.forward = {
                    .file = "/app/train.py", .line = one.line, .function = one.function};
            site.count = 10;
            profile.callSites.push_back(site);
        }
    }
    kept = judged(profile);
    return actionNamed(kept, "frozen-forward");
}

const Action* withMore(const Operator& more, Program& kept) {
    std::vector<Operator> operators = kProbe;
    operators.push_back(more);
    return frozenAction(operators, kept);
}

}  // namespace

TEST_CASE("a backbone that is not trained is told to be computed once") {
    Program program;
    const Action* action = frozenAction(kProbe, program);
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    CHECK(action->bound.value == Approx(1200e-6).epsilon(0.02));
    CHECK_FALSE(action->estimate);
    CHECK(action->kernels.size() == 2);
    CHECK(action->edit.in(Language::En).starts_with("If the same inputs come again"));
}

TEST_CASE("parts that are trained, or may be, are not called frozen") {
    Program program;
    // The convolution has a gradient.
    CHECK_FALSE(withMore({"wgrad(int)", 500, "aten::cudnn_convolution_backward", "", 20,
                          "Backbone.forward", "ConvolutionBackward0"},
                         program));
    // Nothing is trained at all.
    CHECK_FALSE(frozenAction({kProbe.begin(), kProbe.begin() + 3}, program));
    // A backward pass that the program wrote itself: its products are at lines of their own.
    CHECK_FALSE(withMore(
        {"own_backward(int)", 300, "aten::mm", "", 90, "Mix.backward", "MixBackward"}, program));
    std::vector<Operator> shared = kProbe;
    // The same weights are trained elsewhere, as by a policy that acts without gradients.
    shared[0].sizes = "[256, 512], [512, 12]";
    shared[0].op = "aten::mm";
    CHECK_FALSE(frozenAction(shared, program));
    // A teacher that follows the student, called at a line of its own; its attention has other
    // sizes. The student's layers are trained.
    const std::vector<Operator> teacher{
        {"gemm_teacher(int)", 900, "aten::addmm", "[512], [64, 256], [256, 512]", 20, "main"},
        {"scores_teacher(int)", 300, "aten::bmm", "[64, 16, 32], [64, 32, 16]", 20, "main"},
        {"gemm_student(int)", 200, "aten::addmm", "[512], [128, 256], [256, 512]", 30, "main"},
        {"gemm_dgrad(int)", 200, "aten::mm", "", 30, "main", "AddmmBackward0"}};
    CHECK_FALSE(frozenAction(teacher, program));
    // One of its layers is not in the student: the line still computes trained ones.
    std::vector<Operator> wider = teacher;
    wider[1].op = "aten::addmm";
    wider[1].sizes = "[768], [64, 512], [512, 768]";
    CHECK_FALSE(frozenAction(wider, program));
    // Sizes of trained weights that are not known.
    std::vector<Operator> unknown = kProbe;
    unknown[2].sizes = "";
    CHECK_FALSE(frozenAction(unknown, program));
    // An optimizer that multiplies.
    std::vector<Operator> optimizer = kProbe;
    optimizer[0].function = optimizer[1].function = "Muon.step";
    CHECK_FALSE(frozenAction(optimizer, program));
    // A small part.
    std::vector<Operator> little = kProbe;
    little[0].us = little[1].us = 20;
    CHECK_FALSE(frozenAction(little, program));
}
