// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profile/model/counter_table.h"

namespace roofscope {

/// Caches what is known about a table's counters, because formulas ask for the same ones for very
/// many launch groups. The table must outlive it and not change. Not thread-safe.
class CounterLookup {
public:
    struct Found {
        CounterColumn column;  ///< empty when there is none
        /// If the column has no value, other columns of the table may replace it
        /// (analyzer/counters/counter_sources.h).
        bool substitutable = false;
    };

    explicit CounterLookup(const CounterTable& table) : m_table(table) {}
    CounterLookup(const CounterLookup&) = delete;
    CounterLookup& operator=(const CounterLookup&) = delete;

    [[nodiscard]] const CounterTable& table() const { return m_table; }
    [[nodiscard]] const Found& operator[](std::string_view name) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view s) const {
            return std::hash<std::string_view>{}(s);
        }
    };

    const CounterTable& m_table;
    mutable std::unordered_map<std::string, Found, Hash, std::equal_to<>> m_found;
};

}  // namespace roofscope
