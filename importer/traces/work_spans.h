// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "profile/model/timeline.h"

namespace roofscope::traces {

/// GPU work in the order in which it was issued. Finds the time span in which the work that was
/// issued between two moments ran, without visiting all of it.
class WorkSpans {
public:
    static constexpr TimeSpan kNothing{.start = std::numeric_limits<Nanoseconds>::max(),
                                       .end = std::numeric_limits<Nanoseconds>::min()};
    static TimeSpan joined(const TimeSpan& a, const TimeSpan& b) {
        return {.start = std::min(a.start, b.start), .end = std::max(a.end, b.end)};
    }

    void add(Nanoseconds issued, const TimeSpan& ran) { m_items.push_back({issued, ran}); }
    /// Call this after the last add().
    void sort() {
        std::ranges::stable_sort(m_items, {}, &Item::issued);
        const std::size_t n = m_items.size();
        m_tree.assign(2 * n, kNothing);
        for (std::size_t i = 0; i < n; ++i) m_tree[n + i] = m_items[i].ran;
        for (std::size_t i = n; i-- > 1;) m_tree[i] = joined(m_tree[2 * i], m_tree[2 * i + 1]);
    }
    /// The span in which the work ran that was issued in `span`; kNothing if there is none.
    [[nodiscard]] TimeSpan within(const TimeSpan& span) const {
        const auto place = [&](Nanoseconds at) {
            return static_cast<std::size_t>(
                std::ranges::lower_bound(m_items, at, {}, &Item::issued) - m_items.begin());
        };
        std::size_t from = place(span.start) + m_items.size(),
                    to = place(span.end) + m_items.size();
        TimeSpan all = kNothing;
        for (; from < to; from /= 2, to /= 2) {
            if (from % 2 == 1) all = joined(all, m_tree[from++]);
            if (to % 2 == 1) all = joined(all, m_tree[--to]);
        }
        return all;
    }

private:
    struct Item {
        Nanoseconds issued = 0;
        TimeSpan ran;
    };
    std::vector<Item> m_items;
    /// A segment tree. The items start at index n; each node before them joins its two children.
    std::vector<TimeSpan> m_tree;
};

}  // namespace roofscope::traces
