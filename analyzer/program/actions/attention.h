// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// Attention in separate kernels: a product of queries and keys, elementwise operators (scale,
/// mask, cast, dropout), a softmax, and the product with the values; or the same backwards. A fused
/// kernel keeps the scores on the chip.
struct UnfusedAttention {
    double count = 0;  ///< such groups per occurrence of the window
    Seconds scores;    ///< per occurrence: everything between the two products
    Seconds products;  ///< per occurrence: the two products
    std::map<std::uint32_t, double>
        kernels;  ///< index into Analysis::kernels → seconds of `scores`
    std::set<std::uint32_t> productKernels;
    /// By the operators' sizes, scores are sums of a term of the row and one of the column
    /// ("[8, 2708, 1], [8, 1, 2708]"), as in graph attention: no product of queries and keys.
    bool areSums = false;
};

/// Found by the names and the order of the launches in each stream; nothing else may run in
/// between.
[[nodiscard]] UnfusedAttention unfusedAttention(const Analysis& analysis, const LaneActivity& lane,
                                                const FoundWindow& window);

}  // namespace roofscope::program
