// SPDX-License-Identifier: Apache-2.0
// What the order of a stream's launches shows: attention in parts, and elementwise operators in a
// row where no buffers were recorded.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;
using test::argument;

namespace {

constexpr const char* kProduct =
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas";
constexpr const char* kValues =
    "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1>(int)";
constexpr const char* kSoftmax =
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, "
    "c10::BFloat16, at::native::(anonymous namespace)::SoftMaxForwardEpilogue>(int)";
constexpr const char* kLogSoftmax =
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, "
    "c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(int)";
constexpr const char* kLogOfWarp =
    "void softmax_warp_forward<float, float, float, 10, true, false>(int)";
constexpr const char* kScale =
    "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<MulFunctor>>(int)";
constexpr const char* kAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)";
constexpr const char* kMean =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps>>(int)";
constexpr const char* kCopy =
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
    "direct_copy_kernel_cuda>>(int)";
constexpr const char* kTopK = "void at::native::sbtopk::gatherTopK<float, unsigned int>(int)";

struct Step {
    const char* kernel;
    double us;
    std::uint32_t blocks = 4'096;
};

/// Ten steps of these launches, which PyTorch issues; `buffers`: one argument was recorded.
Program judgedSteps(const std::vector<Step>& steps, bool buffers = false) {
    SyntheticProgram p;
    for (int i = 0; i < 10; ++i) {
        p.push("step");
        for (const Step& step : steps) p.launch(step.kernel, step.us);
        p.sync().pop();
    }
    Profile profile = p.build();
    std::size_t i = 0;
    for (Launch& launch : profile.launches) {
        launch.grid = {steps[i % steps.size()].blocks, 1, 1};
        ++i;
    }
    for (Kernel& kernel : profile.kernels)
        if (kernel.name.find("at::native") != std::string::npos)
            kernel.symbol = "_ZN2at6native" + std::to_string(&kernel - profile.kernels.data());
    if (buffers) {
        profile.buffers.push_back({.bytes = 1});
        profile.argumentLists.add(std::vector<BufferArgument>{{}});
    }
    return judged(profile);
}

}  // namespace

TEST_CASE("scores that add a column and a row fit no fused attention") {
    const auto edit = [](const char* op, const char* sizes, std::uint64_t others = 0) {
        SyntheticProgram p;
        for (int i = 0; i < 10; ++i) {
            p.push("step");
            p.launch(kProduct, 100).launch(kAdd, 200).launch(kSoftmax, 300).launch(kValues, 300);
            p.sync().pop();
        }
        Profile profile = p.build();
        for (Kernel& kernel : profile.kernels)
            if (kernel.name.find("at::native") != std::string::npos)
                kernel.symbol = "_ZN2at6native" + std::to_string(&kernel - profile.kernels.data());
        const std::uint32_t add = profile.launches[1].kernel;
        REQUIRE(profile.kernels[add].name == kAdd);
        profile.callSites.push_back({.kernel = add, .op = op, .sizes = sizes, .count = 10});
        if (others > 0)
            profile.callSites.push_back({.kernel = add,
                                         .op = "aten::add",
                                         .sizes = "[8, 2708, 2708], [8, 2708, 2708]",
                                         .count = others});
        const Program program = judged(profile);
        const Action* action = actionNamed(program, "unfused-attention");
        REQUIRE(action);
        return action->edit.in(Language::En);
    };
    CHECK(edit("aten::add", "[8, 2708, 1], [8, 1, 2708]").starts_with("Compile the function"));
    CHECK(edit("aten::add", "[2708, 1], [1, 2708]").starts_with("Compile the function"));
    // A bias of the scores, a mask of keys, and another operator.
    for (const char* sizes :
         {"[8, 2708, 2708], [8, 1, 2708]", "[8, 1, 1, 2708], [8, 4, 2708, 2708]",
          "[8, 2708, 1], [8, 2708, 1]", "[2708]", ""})
        CHECK(edit("aten::add", sizes).starts_with("Call torch.nn.functional"));
    CHECK(edit("aten::mul", "[8, 2708, 1], [8, 1, 2708]").starts_with("Call torch.nn.functional"));
    // A mask that is made like that, beside a bias in each layer.
    CHECK(edit("aten::add", "[8, 2708, 1], [8, 1, 2708]", 60).starts_with("Call torch.nn"));
}

TEST_CASE("attention in parts is told to use the fused kernel") {
    const Program program = judgedSteps({{kProduct, 100},
                                         {kValues, 300},
                                         {kScale, 200},
                                         {kSoftmax, 500},
                                         {kValues, 300},
                                         {kProduct, 100}});
    const Action* action = actionNamed(program, "unfused-attention");
    REQUIRE(action);
    CHECK(&program.actions.front() == action);
    CHECK(action->bound.value * 1e6 == Approx(700).epsilon(0.01));
    CHECK(action->estimate);
    CHECK(argument(*action, "count") == Approx(1));
    CHECK(argument(*action, "products") * 1e6 == Approx(600).epsilon(0.01));
    CHECK(action->kernels.size() == 2);
}

TEST_CASE("backwards and with dropout it is attention, too") {
    constexpr const char* kBackward =
        "void at::native::softmax_warp_backward<float, float, float, 10, false>(int)";
    constexpr const char* kDropout =
        "void at::native::fused_dropout_kernel_vec<float, float, unsigned int, 1, 4>(int)";
    const Program program = judgedSteps({{kValues, 300},
                                         {kScale, 50},
                                         {kSoftmax, 200},
                                         {kDropout, 50},
                                         {kValues, 300},
                                         {kValues, 300},
                                         {kBackward, 250},
                                         {kScale, 50},
                                         {kValues, 300}});
    const Action* action = actionNamed(program, "unfused-attention");
    REQUIRE(action);
    CHECK(argument(*action, "count") == Approx(2));
    CHECK(action->bound.value * 1e6 == Approx(600).epsilon(0.01));
}

TEST_CASE("the parts of a split product are added to the product") {
    constexpr const char* kSums = "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)";
    const Program program =
        judgedSteps({{kValues, 300}, {kSums, 20}, {kScale, 100}, {kSoftmax, 300}, {kValues, 200}});
    const Action* action = actionNamed(program, "unfused-attention");
    REQUIRE(action);
    CHECK(argument(*action, "products") * 1e6 == Approx(520).epsilon(0.01));
}

TEST_CASE("a gate between two linear layers is no attention") {
    const auto named = [](const char* op) {
        SyntheticProgram p;
        for (int i = 0; i < 10; ++i)
            p.push("step")
                .launch(kValues, 300)
                .launch(kSoftmax, 500)
                .launch(kValues, 300)
                .sync()
                .pop();
        Profile profile = p.build();
        for (std::uint32_t k = 0; k < profile.kernels.size(); ++k) {
            if (profile.kernels[k].name.find("at::native") != std::string::npos)
                profile.kernels[k].symbol = "_ZN2at6native";
            else
                profile.callSites.push_back({.kernel = k, .op = op, .count = 20});
        }
        const Program program = judged(profile);
        return actionNamed(program, "unfused-attention") != nullptr;
    };
    CHECK(named("aten::bmm"));
    CHECK_FALSE(named("aten::addmm"));
}

TEST_CASE("a softmax outside of attention is none") {
    for (const std::vector<Step>& steps : std::vector<std::vector<Step>>{
             {{kProduct, 300}, {kSoftmax, 500}},  // a classifier
             {{kProduct, 300}, {kLogOfWarp, 500}, {kProduct, 300}},
             {{kProduct, 300}, {kLogSoftmax, 500}, {kProduct, 300}},               // its loss
             {{kProduct, 300}, {kSoftmax, 500}, {kTopK, 50}, {kProduct, 300}},     // a router
             {{kScale, 300}, {kSoftmax, 500}, {kScale, 300}, {kProduct, 300}}}) {  // weights
        const Program program = judgedSteps(steps);
        REQUIRE(program.window.kind == WindowKind::Range);
        CHECK(actionNamed(program, "unfused-attention") == nullptr);
    }
    // Scores that take little of the time: not worth an edit.
    CHECK(actionNamed(judgedSteps({{kValues, 3'000}, {kSoftmax, 50}, {kValues, 3'000}}),
                      "unfused-attention") == nullptr);
}

TEST_CASE("without buffers, elementwise operators in a row are to be fused") {
    // A norm: the square, the mean of each row, two operators on these means, and the product.
    const Program norm = judgedSteps({{kProduct, 500},
                                      {kScale, 60},
                                      {kMean, 20, 1'024},
                                      {kAdd, 2, 8},
                                      {kScale, 2, 8},
                                      {kScale, 60},
                                      {kAdd, 80}});
    const Action* action = actionNamed(norm, "unfused-elementwise");
    REQUIRE(action);
    CHECK(action->estimate);
    CHECK(action->bound.value * 1e6 == Approx(60 + 20 + 2 + 2 + 60).epsilon(0.01));
    CHECK(argument(*action, "launches") == Approx(6));
    CHECK(action->sentence.in(Language::En).find("follow each other") != std::string::npos);
}

TEST_CASE("what ends a run of elementwise operators") {
    const auto bound = [](const std::vector<Step>& steps, bool buffers = false) {
        const Program program = judgedSteps(steps, buffers);
        const Action* action = actionNamed(program, "unfused-elementwise");
        return action ? action->bound.value * 1e6 : 0;
    };
    CHECK(bound({{kScale, 100}, {kAdd, 100}}) == Approx(100).epsilon(0.01));
    // A product, a copy into another layout, tensors of another size, one operator alone.
    CHECK(bound({{kScale, 100}, {kProduct, 100}, {kAdd, 100}, {kProduct, 100}}) == 0);
    CHECK(bound({{kScale, 100}, {kCopy, 100}, {kAdd, 100}, {kProduct, 100}}) == 0);
    CHECK(bound({{kScale, 100, 4'096}, {kAdd, 100, 40'960}, {kProduct, 100}}) == 0);
    CHECK(bound({{kScale, 100, 4'096}, {kAdd, 100, 400}, {kProduct, 100}}) == 0);
    CHECK(bound({{kScale, 100}, {kMean, 100, 1'024}, {kProduct, 100}}) == 0);
    // An average of weights, one parameter after another.
    CHECK(bound(std::vector<Step>(12, {kScale, 100})) == 0);
    std::vector<Step> optimizer;
    for (int i = 0; i < 12; ++i) {
        optimizer.push_back({kScale, 100});
        optimizer.push_back({kAdd, 100});
    }
    CHECK(bound(optimizer) == 0);
    // Buffers were recorded, but not of these launches: nothing is known of them.
    CHECK(bound({{kScale, 100}, {kAdd, 100}}, true) == 0);
}
