// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/program/operators/operator_flops.h"

/// FLOPs of products in a backward pass, from the calls of the forward pass, because the sizes of
/// the backward pass are not recorded.
namespace roofscope::program {

/// An operator inside of an autograd function, and the forward operators that it belongs to.
struct BackwardProduct {
    std::vector<std::string_view> forward;
    double factor = 1;       ///< FLOPs of one product / FLOPs of the forward call
    double mostPerCall = 2;  ///< products for each forward call: one per input with a gradient
};
/// What is known about this operator in this function, as about "aten::mm" in "AddmmBackward0".
/// Absent for others.
[[nodiscard]] std::optional<BackwardProduct> backwardProduct(std::string_view function,
                                                             std::string_view op);

/// Calls of the forward operators at one place.
struct ForwardCalls {
    double calls = 0;  ///< per window
    FlopRange each;
};
/// FLOPs of this many products per window. An interval if some calls have fewer products than they
/// could (inputs without a gradient), because it is not known which. Absent if there are more
/// products than the calls can have.
[[nodiscard]] std::optional<FlopRange> backwardFlops(std::vector<ForwardCalls> calls,
                                                     double products, const BackwardProduct& of);

}  // namespace roofscope::program
