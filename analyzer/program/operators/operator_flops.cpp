// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/operator_flops.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace roofscope::program {
namespace {

using TensorSize = std::vector<std::uint64_t>;
using TensorSizes = std::vector<TensorSize>;

bool contains(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts,
                               [&](std::string_view part) { return text.find(part) != text.npos; });
}

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, text) != names.end();
}

/// "aten::mm" → "mm". Operators of other libraries may have any meaning.
std::string_view nameInAten(std::string_view op) {
    constexpr std::string_view kAten = "aten::";
    return op.starts_with(kAten) ? op.substr(kAten.size()) : std::string_view();
}

double real(std::uint64_t size) { return static_cast<double>(size); }

FlopRange exactly(double flops) { return {.least = flops, .most = flops}; }

/// [M, K] × [K, N]; with `batched` [B, M, K] × [B, K, N].
std::optional<FlopRange> ofMatrices(const TensorSize& a, const TensorSize& b, bool batched) {
    const std::size_t first = batched ? 1 : 0;
    if (a.size() != first + 2 || b.size() != first + 2 || a[first + 1] != b[first])
        return std::nullopt;
    if (batched && a[0] != b[0]) return std::nullopt;
    return exactly(2 * (batched ? real(a[0]) : 1) * real(a[first]) * real(a[first + 1]) *
                   real(b[first + 1]));
}

/// [M, K] × [K].
std::optional<FlopRange> ofVector(const TensorSize& a, const TensorSize& b) {
    if (a.size() != 2 || b.size() != 1 || a[1] != b[0]) return std::nullopt;
    return exactly(2 * real(a[0]) * real(a[1]));
}

/// Inputs [..., K] and weights [N, K].
std::optional<FlopRange> ofLinear(const TensorSize& a, const TensorSize& b) {
    if (a.empty() || b.size() != 2 || a.back() != b[1]) return std::nullopt;
    double flops = 2 * real(b[0]);
    for (const std::uint64_t size : a) flops *= real(size);
    return exactly(flops);
}

/// Q, K and V as [batch, heads, length, size], or with `lengthFirst` [batch, length, heads, size].
std::optional<FlopRange> ofAttention(const TensorSizes& sizes, bool lengthFirst) {
    constexpr std::size_t kTensors = 3, kDimensions = 4;
    if (sizes.size() < kTensors) return std::nullopt;
    for (std::size_t i = 0; i < kTensors; ++i)
        if (sizes[i].size() != kDimensions) return std::nullopt;
    // One-dimensional tensors are the offsets of sequences that are packed into one tensor.
    if (std::ranges::any_of(sizes, [](const TensorSize& size) { return size.size() == 1; }))
        return std::nullopt;
    const TensorSize &q = sizes[0], &k = sizes[1], &v = sizes[2];
    const std::size_t lengthAt = lengthFirst ? 1 : 2, headsAt = lengthFirst ? 2 : 1;
    if (q[0] != k[0] || k[0] != v[0] || q[3] != k[3] || k[lengthAt] != v[lengthAt])
        return std::nullopt;
    const double rows = real(q[lengthAt]), columns = real(k[lengthAt]);
    // Each element of the scores takes one dot product in Q·K and one row of V in the second
    // product.
    const double each = 2 * real(q[0]) * real(q[headsAt]) * (real(q[3]) + real(v[3]));
    // A causal mask leaves the most out if it begins in the first row: row i has i + 1 columns.
    const double square = std::min(rows, columns);
    const double masked = square * (square + 1) / 2 + (rows - square) * columns;
    return FlopRange{.least = each * masked, .most = each * rows * columns};
}

}  // namespace

OperatorKind operatorKind(std::string_view op) {
    const std::string_view name = nameInAten(op);
    if (isOneOf(name, {"mm", "addmm", "_addmm_activation", "bmm", "baddbmm", "mv", "addmv", "dot",
                       "vdot", "linear", "_int_mm", "_scaled_mm"}))
        return OperatorKind::Matrices;
    if (contains(name, {"attention_forward", "attention_backward", "scaled_dot_product"}))
        return OperatorKind::Attention;
    if (contains(name, {"convolution", "conv_depthwise", "slow_conv", "conv_transpose"}) ||
        isOneOf(name, {"conv1d", "conv2d", "conv3d"}))
        return OperatorKind::Convolution;
    if (contains(name, {"_cudnn_rnn", "lstm", "gru", "grouped_mm", "matmul", "addbmm", "_linear_",
                        "mm_out"}))
        return OperatorKind::OtherProduct;
    return OperatorKind::NoProduct;
}

std::optional<std::vector<std::vector<std::uint64_t>>> parseSizes(std::string_view text) {
    TensorSizes sizes;
    while (!text.empty()) {
        if (!sizes.empty()) {
            if (!text.starts_with(", ")) return std::nullopt;
            text.remove_prefix(2);
        }
        const std::size_t end = text.find(']');
        if (!text.starts_with('[') || end == text.npos) return std::nullopt;
        std::string_view one = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        TensorSize& size = sizes.emplace_back();
        while (!one.empty()) {
            std::uint64_t number = 0;
            const auto [rest, error] = std::from_chars(one.data(), one.data() + one.size(), number);
            if (error != std::errc()) return std::nullopt;
            one.remove_prefix(static_cast<std::size_t>(rest - one.data()));
            if (!one.empty() && !one.starts_with(", ")) return std::nullopt;
            if (!one.empty()) one.remove_prefix(2);
            size.push_back(number);
        }
    }
    return sizes;
}

std::optional<FlopRange> flopsOf(std::string_view op, std::string_view text) {
    const auto parsed = parseSizes(text);
    if (!parsed || parsed->size() < 2) return std::nullopt;
    const TensorSizes& sizes = *parsed;
    const std::string_view name = nameInAten(op);
    // The tensor to add comes first, if it has a size.
    const std::size_t first = sizes.size() == 2 ? 0 : 1;
    if (isOneOf(name, {"mm", "_int_mm", "_scaled_mm"}))
        return ofMatrices(sizes[0], sizes[1], false);
    if (name == "bmm") return ofMatrices(sizes[0], sizes[1], true);
    if (name == "addmm" || name == "_addmm_activation")
        return ofMatrices(sizes[first], sizes[first + 1], false);
    if (name == "baddbmm") return ofMatrices(sizes[first], sizes[first + 1], true);
    if (name == "mv") return ofVector(sizes[0], sizes[1]);
    if (name == "addmv") return ofVector(sizes[first], sizes[first + 1]);
    if (name == "dot" || name == "vdot")
        return sizes[0].size() == 1 && sizes[0] == sizes[1]
                   ? std::optional(exactly(2 * real(sizes[0][0])))
                   : std::nullopt;
    if (name == "linear") return ofLinear(sizes[0], sizes[1]);
    if (isOneOf(name, {"_flash_attention_forward", "_efficient_attention_forward"}))
        return ofAttention(sizes, true);
    if (isOneOf(name,
                {"_cudnn_attention_forward", "_scaled_dot_product_cudnn_attention",
                 "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention"}))
        return ofAttention(sizes, false);
    return std::nullopt;
}

}  // namespace roofscope::program
