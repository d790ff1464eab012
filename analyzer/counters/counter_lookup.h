// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profile/model/counter_table.h"

namespace roofscope {

/// What is known of a table's counters, for formulas that ask for the same ones of very many launch
/// groups: each is worked out once. The table must outlive it and not change. For one thread.
class CounterLookup {
public:
    struct Found {
        CounterColumn column;  ///< empty when there is none
        /// Where the column has no value, another way to it may lead through columns that are there
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
