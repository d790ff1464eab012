// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace roofscope {

/// As std::stable_sort, for values that are hundreds of bytes each: it sorts their places, then
/// moves each value once, and needs no room for a second list of them.
template <class T, class Before>
void sortStably(std::vector<T>& values, Before before) {
    std::vector<std::size_t> from(values.size());
    std::iota(from.begin(), from.end(), std::size_t{0});
    std::ranges::stable_sort(from, [&](std::size_t a, std::size_t b) {
        return before(std::as_const(values[a]), std::as_const(values[b]));
    });
    for (std::size_t start = 0; start < from.size(); ++start) {
        if (from[start] == start) continue;
        T first = std::move(values[start]);
        std::size_t to = start;
        while (from[to] != start) {
            const std::size_t next = from[to];
            values[to] = std::move(values[next]);
            from[to] = to;
            to = next;
        }
        values[to] = std::move(first);
        from[to] = to;
    }
}

}  // namespace roofscope
