// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The floating-point operations of PyTorch's operators, from the sizes of their tensors. A
/// multiply-add is two. Additions of a bias, scaling and activations are left out.
namespace roofscope::program {

/// What an operator computes.
enum class OperatorKind {
    Matrices,      ///< a product of matrices and vectors
    Attention,     ///< two products with a softmax between them
    Convolution,   ///< its output's size, and so its FLOPs, do not follow from its inputs' sizes
    OtherProduct,  ///< products whose sizes are not known, such as those of an LSTM
    NoProduct      ///< everything else
};
[[nodiscard]] OperatorKind operatorKind(std::string_view op);

/// FLOPs that are only known to lie in an interval.
struct FlopRange {
    double least = 0, most = 0;
    [[nodiscard]] bool exact() const { return least == most; }
    FlopRange& operator+=(FlopRange other) {
        least += other.least;
        most += other.most;
        return *this;
    }
    [[nodiscard]] FlopRange operator*(double factor) const {
        return {.least = least * factor, .most = most * factor};
    }
    bool operator==(const FlopRange&) const = default;
};

/// "[2048, 4096], [4096]" as numbers; absent if a part was cut or is not a number.
[[nodiscard]] std::optional<std::vector<std::vector<std::uint64_t>>> parseSizes(
    std::string_view sizes);

/// FLOPs of one call of this operator with tensors of these sizes. Absent if they do not follow
/// from the sizes, or if the sizes do not fit the operator. For attention, the most is without a
/// mask, and the least with a causal one.
[[nodiscard]] std::optional<FlopRange> flopsOf(std::string_view op, std::string_view sizes);

}  // namespace roofscope::program
