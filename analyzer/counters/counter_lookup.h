// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/model/counter_table.h"

namespace roofscope {

/// Finds the columns of a table for formulas that ask for the same names of very many launch
/// groups: what was asked for once is found by the address of its name. The table must outlive it
/// and not change. For one thread.
class CounterLookup {
public:
    struct Found {
        std::string name;
        CounterColumn column;  ///< empty when there is none
        /// Where the column has no value, another way to it may lead through columns that are there
        /// (analyzer/counters/counter_sources.h).
        bool substitutable = false;
        std::size_t number = 0;  ///< of the names that were asked for, from 0 on
    };

    explicit CounterLookup(const CounterTable& table) : m_table(table) {}
    CounterLookup(const CounterLookup&) = delete;
    CounterLookup& operator=(const CounterLookup&) = delete;

    [[nodiscard]] const CounterTable& table() const { return m_table; }
    [[nodiscard]] const Found& operator[](std::string_view name) const;
    /// The columns that were asked for and are there.
    [[nodiscard]] std::span<const CounterColumn> asked() const { return m_asked; }

private:
    /// The name that was met last at an address. It may be another by now, so it is compared.
    struct Met {
        const char* at = nullptr;
        const Found* found = nullptr;
    };
    /// Formulas ask from some two hundred addresses: of so many places hardly two fall together.
    static constexpr std::size_t kMetBits = 12;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view s) const {
            return std::hash<std::string_view>{}(s);
        }
    };

    const CounterTable& m_table;
    mutable std::unordered_map<std::string, Found, Hash, std::equal_to<>> m_found;
    mutable std::vector<CounterColumn> m_asked;
    mutable std::array<Met, (1 << kMetBits)> m_met{};
};

}  // namespace roofscope
