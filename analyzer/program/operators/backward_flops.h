// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/program/operators/operator_flops.h"

/// FLOPs of products in a backward pass, whose sizes are not recorded, by the calls of the forward
/// pass.
namespace roofscope::program {

/// An operator inside of an autograd function, and the forward operators that it belongs to.
struct BackwardProduct {
    std::vector<std::string_view> forward;
    double factor = 1;       ///< FLOPs of one product / FLOPs of the forward call
    double mostPerCall = 2;  ///< products for each forward call: one per input with a gradient
};
/// ("AddmmBackward0", "aten::mm"). Absent for others.
[[nodiscard]] std::optional<BackwardProduct> backwardProduct(std::string_view function,
                                                             std::string_view op);

/// Calls of the forward operators at one place.
struct ForwardCalls {
    double calls = 0;  ///< per window
    FlopRange each;
};
/// FLOPs of so many products per window. Which calls they belong to is not known if some have fewer
/// than the most, as inputs without a gradient: then an interval. Absent if there are more products
/// than the calls can have.
[[nodiscard]] std::optional<FlopRange> backwardFlops(std::vector<ForwardCalls> calls,
                                                     double products, const BackwardProduct& of);

}  // namespace roofscope::program
