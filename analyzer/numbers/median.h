// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

namespace roofscope {

/// The middle value; of an even number of values, the mean of the two in the middle. Needs at least
/// one value.
[[nodiscard]] inline double medianOf(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace roofscope
