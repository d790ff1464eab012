// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/counters/counter_lookup.h"
#include "analyzer/counters/counter_sources.h"
#include "profile/model/counter_table.h"

namespace roofscope {

/// Sums of several counters over the launches of one group.
///
/// A formula must see the same launches in its numerator and its denominator. So only launches that
/// have *all* counters of a formula take part; one with dropped counters would otherwise count in
/// one and not in the other. If no launch has them all because counter groups took turns
/// (multiplexing), each counter enters with its mean over the launches that have it: as far as can
/// be told, the launches of a group do the same work.
///
/// A counter that no launch of the group has may be computed from others
/// (analyzer/counters/counter_sources.h); `substitutes` lists them.
class GroupSums {
public:
    /// A column that is not a counter: one value per launch of the group (same order as `rows`),
    /// NaN where missing. `name` is shown to the reader when it is missing.
    struct Extra {
        std::string_view name;
        std::span<const double> values;
    };

    /// Sums over the launches where everything is present.
    struct Joint {
        std::vector<double> sums;  ///< counters in the order asked for, then the extras
        std::size_t launches = 0;  ///< how many launches took part; for means: those of the rarest
                                   ///< counter
        std::string missing;       ///< what was absent; empty when launches > 0

        [[nodiscard]] bool ok() const { return launches > 0; }
        double operator[](std::size_t i) const { return sums[i]; }
        /// Mean per launch of the i-th sum.
        [[nodiscard]] double mean(std::size_t i) const {
            return sums[i] / static_cast<double>(launches);
        }
    };

    /// For one group of the table.
    GroupSums(const CounterTable& counters, std::span<const std::uint32_t> rows)
        : m_own(std::make_unique<const CounterLookup>(counters)),
          m_lookup(m_own.get()),
          m_rows(rows) {}
    /// For one of many groups that share a lookup.
    GroupSums(const CounterLookup& lookup, std::span<const std::uint32_t> rows)
        : m_lookup(&lookup), m_rows(rows) {}

    [[nodiscard]] std::span<const std::uint32_t> rows() const { return m_rows; }
    /// The value of one counter per launch of the group, NaN where missing.
    [[nodiscard]] std::vector<double> perLaunch(std::string_view counter) const;
    [[nodiscard]] Joint joint(std::span<const std::string_view> counters,
                              std::span<const Extra> extras = {}) const;
    [[nodiscard]] Joint joint(std::initializer_list<std::string_view> counters,
                              std::span<const Extra> extras = {}) const {
        return joint(std::span(counters.begin(), counters.size()), extras);
    }

    /// Whether the profile has neither the counter nor a substitute for it.
    [[nodiscard]] bool lacks(std::string_view counter) const {
        const CounterLookup::Found& known = (*m_lookup)[counter];
        return known.column.empty() && !known.substitutable;
    }

    /// Substitutes of counters that the group lacks, in the order of their first use.
    [[nodiscard]] const std::vector<Substitute>& substitutes() const { return m_substitutes; }

private:
    /// The launches that have a value, ascending, as indices into the group; and their values.
    struct Column {
        std::vector<std::uint32_t> launches;
        std::vector<double> values;
    };
    /// Reads each counter once, because formulas share counters.
    const Column& column(std::string_view counter) const;

    std::unique_ptr<const CounterLookup> m_own;
    const CounterLookup* m_lookup;
    std::span<const std::uint32_t> m_rows;
    mutable std::unordered_map<const CounterLookup::Found*, Column> m_columns;
    mutable std::vector<Substitute> m_substitutes;
};

}  // namespace roofscope
