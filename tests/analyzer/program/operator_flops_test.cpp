// SPDX-License-Identifier: Apache-2.0
// FLOPs of operators by the sizes of their tensors: known answers and near-misses.
#include "analyzer/program/operators/operator_flops.h"

#include "analyzer/program/operators/backward_flops.h"
#include "tests/support/catch.h"

using namespace roofscope;
using program::FlopRange, program::OperatorKind, program::flopsOf;

namespace {

/// The one number; −1 if it is not known or an interval.
double flops(std::string_view op, std::string_view sizes) {
    const auto found = flopsOf(op, sizes);
    return found && found->exact() ? found->most : -1;
}

}  // namespace

TEST_CASE("a product of M × K and K × N has 2·M·N·K FLOPs") {
    CHECK(flops("aten::mm", "[4096, 1024], [1024, 512]") == 2.0 * 4096 * 1024 * 512);
    CHECK(flops("aten::addmm", "[3072], [102400, 1024], [1024, 3072]") ==
          2.0 * 102400 * 1024 * 3072);
    CHECK(flops("aten::addmm", "[10, 30], [10, 20], [20, 30]") == 2.0 * 10 * 20 * 30);
    CHECK(flops("aten::addmm", "[10, 20], [20, 30]") == 2.0 * 10 * 20 * 30);  // adds a number
    CHECK(flops("aten::_addmm_activation", "[4096], [6144, 1024], [1024, 4096]") ==
          2.0 * 6144 * 1024 * 4096);
    CHECK(flops("aten::bmm", "[128, 400, 64], [128, 64, 799]") == 2.0 * 128 * 400 * 64 * 799);
    CHECK(flops("aten::baddbmm", "[8, 10, 30], [8, 10, 20], [8, 20, 30]") ==
          2.0 * 8 * 10 * 20 * 30);
    CHECK(flops("aten::mv", "[100, 30], [30]") == 2.0 * 100 * 30);
    CHECK(flops("aten::addmv", "[100], [100, 30], [30]") == 2.0 * 100 * 30);
    CHECK(flops("aten::dot", "[30], [30]") == 2.0 * 30);
    CHECK(flops("aten::linear", "[8, 16, 20], [30, 20], [30]") == 2.0 * 8 * 16 * 20 * 30);
    CHECK(flops("aten::_scaled_mm", "[10, 20], [20, 30], [1], [1]") == 2.0 * 10 * 20 * 30);
}

TEST_CASE("sizes that do not fit the operator have no FLOPs") {
    CHECK(flops("aten::mm", "[4096, 1024], [1023, 512]") == -1);
    CHECK(flops("aten::mm", "[4096, 1024]") == -1);
    CHECK(flops("aten::mm", "[2, 4096, 1024], [1024, 512]") == -1);
    CHECK(flops("aten::bmm", "[128, 400, 64], [127, 64, 799]") == -1);
    CHECK(flops("aten::mm", "[4096, 1024], …") == -1);
    CHECK(flops("aten::mm", "[4096, ?], [1024, 512]") == -1);
    CHECK(flops("aten::mm", "") == -1);
    CHECK(flops("aten::mul", "[10, 10], [10, 10]") == -1);
    CHECK(flops("mine::mm", "[10, 10], [10, 10]") == -1);
    // Stride and padding are not among the sizes, so the result's size is not known.
    CHECK(flops("aten::cudnn_convolution", "[32, 64, 56, 56], [64, 64, 3, 3]") == -1);
}

TEST_CASE("attention has two products, of which a causal mask leaves out a part") {
    // 2 × 3 heads, 5 × 7 scores, 8 columns: 2·2·3·5·7·(8 + 8) = 6720. With the mask rows have 1 to
    // 5 of 7 scores.
    const auto found =
        flopsOf("aten::_flash_attention_forward", "[2, 5, 3, 8], [2, 7, 3, 8], [2, 7, 3, 8]");
    REQUIRE(found);
    CHECK(found->most == 6720);
    CHECK(found->least == 6720 / 35.0 * 15);
    // cuDNN's has heads first.
    CHECK(flopsOf("aten::_cudnn_attention_forward", "[2, 3, 5, 8], [2, 3, 7, 8], [2, 3, 7, 8]") ==
          found);
    // More rows than columns: the rest sees all of them.
    const auto tall =
        flopsOf("aten::_efficient_attention_forward", "[1, 4, 1, 1], [1, 2, 1, 1], [1, 2, 1, 1]");
    REQUIRE(tall);
    CHECK(tall->most == 2 * 2 * 4 * 2);
    CHECK(tall->least == 2 * 2 * (1 + 2 + 2 + 2));
    // Several sequences in one, told apart by offsets.
    CHECK_FALSE(flopsOf("aten::_efficient_attention_forward",
                        "[1, 900, 3, 8], [1, 900, 3, 8], [1, 900, 3, 8], [17], [17]"));
    CHECK_FALSE(flopsOf("aten::_flash_attention_forward", "[900, 3, 8], [900, 3, 8], [900, 3, 8]"));
}

TEST_CASE("operators are told apart by what they compute") {
    using program::operatorKind;
    CHECK(operatorKind("aten::addmm") == OperatorKind::Matrices);
    CHECK(operatorKind("aten::_flash_attention_backward") == OperatorKind::Attention);
    CHECK(operatorKind("aten::cudnn_convolution") == OperatorKind::Convolution);
    CHECK(operatorKind("aten::convolution_backward") == OperatorKind::Convolution);
    CHECK(operatorKind("aten::_cudnn_rnn") == OperatorKind::OtherProduct);
    CHECK(operatorKind("aten::_convert_indices_from_coo_to_csr") == OperatorKind::NoProduct);
    CHECK(operatorKind("aten::mul") == OperatorKind::NoProduct);
    CHECK(operatorKind("vllm::moe_forward") == OperatorKind::NoProduct);
}

TEST_CASE("a backward pass has two products for each of the forward pass") {
    const auto of = program::backwardProduct("AddmmBackward0", "aten::mm");
    REQUIRE(of);
    CHECK_FALSE(program::backwardProduct("AddmmBackward0", "aten::sum"));
    CHECK_FALSE(program::backwardProduct("CholeskySolveBackward0", "aten::mm"));
    const auto backward = [&](double products) {
        return program::backwardFlops(
            {{.calls = 1, .each = {100, 100}}, {.calls = 3, .each = {7, 7}}}, products, *of);
    };
    // All inputs have gradients.
    CHECK(backward(8) == FlopRange{242, 242});
    // One input has none: one of 100 or one of 7.
    CHECK(backward(7) == FlopRange{142, 235});
    // More products than gradients: something else launches them.
    CHECK_FALSE(backward(9));
    CHECK_FALSE(program::backwardFlops({}, 1, *of));
}

TEST_CASE("attention's backward pass has five products for two") {
    const auto of = program::backwardProduct("ScaledDotProductFlashAttentionBackward0",
                                             "aten::_flash_attention_backward");
    REQUIRE(of);
    CHECK(program::backwardFlops({{.calls = 3, .each = {10, 20}}}, 3, *of) == FlopRange{75, 150});
    CHECK_FALSE(program::backwardFlops({{.calls = 3, .each = {10, 20}}}, 6, *of));
}
