// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/backward_flops.h"

#include <algorithm>
#include <functional>

namespace roofscope::program {

std::optional<BackwardProduct> backwardProduct(std::string_view function, std::string_view op) {
    // The backward pass of attention computes the scores again: five products for two.
    constexpr double kAttention = 2.5;
    if (op == "aten::mm") {
        if (function == "AddmmBackward0")
            return BackwardProduct{{"aten::addmm", "aten::_addmm_activation"}};
        if (function == "MmBackward0") return BackwardProduct{{"aten::mm"}};
    }
    if (op == "aten::bmm") {
        if (function == "BmmBackward0") return BackwardProduct{{"aten::bmm"}};
        if (function == "BaddbmmBackward0") return BackwardProduct{{"aten::baddbmm"}};
    }
    if (function == "ScaledDotProductFlashAttentionBackward0" &&
        op == "aten::_flash_attention_backward")
        return BackwardProduct{{"aten::_flash_attention_forward"}, kAttention, 1};
    if (function == "ScaledDotProductEfficientAttentionBackward0" &&
        op == "aten::_efficient_attention_backward")
        return BackwardProduct{{"aten::_efficient_attention_forward"}, kAttention, 1};
    if (function == "ScaledDotProductCudnnAttentionBackward0" &&
        op == "aten::_cudnn_attention_backward")
        return BackwardProduct{{"aten::_cudnn_attention_forward"}, kAttention, 1};
    return std::nullopt;
}

std::optional<FlopRange> backwardFlops(std::vector<ForwardCalls> calls, double products,
                                       const BackwardProduct& of) {
    constexpr double kSame = 1.02;
    double most = 0;
    for (const ForwardCalls& call : calls) most += call.calls * of.mostPerCall;
    if (!(most > 0) || products > most * kSame) return std::nullopt;
    products = std::min(products, most);
    // The least sum takes the products of the cheapest calls first, the largest those of the most
    // expensive ones.
    const auto sumOf = [&](auto order, double FlopRange::*bound) {
        std::ranges::stable_sort(calls, order,
                                 [&](const ForwardCalls& call) { return call.each.*bound; });
        double left = products, sum = 0;
        for (const ForwardCalls& call : calls) {
            const double taken = std::min(left, call.calls * of.mostPerCall);
            sum += taken * call.each.*bound * of.factor;
            left -= taken;
        }
        return sum;
    };
    FlopRange flops{.least = sumOf(std::less{}, &FlopRange::least),
                    .most = sumOf(std::greater{}, &FlopRange::most)};
    // If all calls have all their products, both sums are the same, but for rounding.
    if (flops.least > flops.most * (1 - 1e-9)) flops.least = flops.most;
    return flops;
}

}  // namespace roofscope::program
