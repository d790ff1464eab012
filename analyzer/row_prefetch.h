// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profile/counter_table.h"

namespace roofscope {

/// Brings the counters of launches that are needed soon from the memory to the processor. Of very
/// many kernels that are not taken in the order of their launches each value lies elsewhere, and
/// waiting for one after the other takes most of the time. The table must outlive it.
class RowPrefetch {
public:
    explicit RowPrefetch(const CounterTable& counters) {
        for (const auto& name : counters.names()) m_columns.push_back(counters.column(name));
    }
    /// The first few of these rows.
    void operator()(std::span<const std::uint32_t> rows) const {
        constexpr std::size_t kMost = 4;
        for (const std::uint32_t row : rows.first(std::min(rows.size(), kMost)))
            for (const CounterColumn& column : m_columns) column.prefetch(row);
    }

private:
    std::vector<CounterColumn> m_columns;
};

}  // namespace roofscope
