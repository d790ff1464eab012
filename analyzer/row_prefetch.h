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
        for (const auto& name : counters.names())
            if (const CounterColumn column = counters.column(name); !column.sparse())
                m_columns.push_back(column.values());
    }
    /// The first few of these rows.
    void operator()(std::span<const std::uint32_t> rows) const {
        constexpr std::size_t kMost = 4;
        for (const std::uint32_t row : rows.first(std::min(rows.size(), kMost)))
            for (const std::span<const double> column : m_columns)
                if (row < column.size()) __builtin_prefetch(&column[row]);
    }

private:
    std::vector<std::span<const double>> m_columns;
};

}  // namespace roofscope
