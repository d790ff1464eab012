// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "analyzer/counters/counter_lookup.h"

namespace roofscope {

/// Brings the counters of launches that are needed soon from the memory to the processor: those
/// that formulas asked for so far. Of very many kernels that are not taken in the order of their
/// launches each value lies elsewhere, and waiting for one after the other takes most of the time.
/// The lookup must outlive it.
class RowPrefetch {
public:
    explicit RowPrefetch(const CounterLookup& counters) : m_counters(counters) {}
    /// The first few of these rows.
    void operator()(std::span<const std::uint32_t> rows) const {
        constexpr std::size_t kMost = 4;
        for (const std::uint32_t row : rows.first(std::min(rows.size(), kMost)))
            for (const CounterColumn& column : m_counters.asked()) column.prefetch(row);
    }

private:
    const CounterLookup& m_counters;
};

}  // namespace roofscope
