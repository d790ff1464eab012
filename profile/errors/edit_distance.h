// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

namespace roofscope {

/// How many characters must be inserted, removed or replaced to turn `a` into `b` (Levenshtein),
/// for "did you mean". Both are cut to 80 characters to bound the cost.
[[nodiscard]] inline std::size_t editDistance(std::string_view a, std::string_view b) {
    constexpr std::size_t kLongest = 80;
    a = a.substr(0, kLongest);
    b = b.substr(0, kLongest);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace roofscope
