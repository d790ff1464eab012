// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/counters/counter_lookup.h"
#include "analyzer/counters/counter_sources.h"
#include "analyzer/numbers/small_numbers.h"
#include "profile/model/counter_table.h"

namespace roofscope {

/// Sums of several counters over the launches of one group.
///
/// A formula must see the same launches in its numerator and its denominator. A launch whose
/// counters were dropped would otherwise count in one and not in the other, so only launches in
/// which *all* counters of a formula are present take part. Where no launch has them all, because
/// groups of counters took turns (multiplexing), each counts with its mean over the launches that
/// have it: launches of a group do the same work as far as can be told.
///
/// A counter that no launch of the group has may be had from others
/// (analyzer/counters/counter_sources.h); `substitutes` says which were.
class GroupSums {
public:
    /// A column that is not a counter: one value per launch of the group (same order as `rows`),
    /// NaN where missing. `name` is what a reader is told when it is missing.
    struct Extra {
        std::string_view name;
        std::span<const double> values;
    };

    /// Sums over the launches where everything is present.
    struct Joint {
        SmallNumbers sums;         ///< counters in the order asked for, then the extras
        std::size_t launches = 0;  ///< how many launches took part; of means: of the rarest counter
        std::string missing;       ///< what was absent; empty when launches > 0

        [[nodiscard]] bool ok() const { return launches > 0; }
        double operator[](std::size_t i) const { return sums[i]; }
        /// Mean per launch of the i-th sum.
        [[nodiscard]] double mean(std::size_t i) const {
            return sums[i] / static_cast<double>(launches);
        }
    };

    GroupSums(const CounterTable& counters, std::span<const std::uint32_t> rows)
        : m_counters(counters), m_rows(rows) {}
    /// The same, quicker: for very many groups of one table.
    GroupSums(const CounterLookup& lookup, std::span<const std::uint32_t> rows)
        : m_counters(lookup.table()), m_lookup(&lookup), m_rows(rows) {}

    [[nodiscard]] std::span<const std::uint32_t> rows() const { return m_rows; }
    /// The value of one counter per launch of the group, NaN where missing.
    [[nodiscard]] SmallNumbers perLaunch(std::string_view counter) const;
    [[nodiscard]] Joint joint(std::span<const std::string_view> counters,
                              std::span<const Extra> extras = {}) const;
    [[nodiscard]] Joint joint(std::initializer_list<std::string_view> counters,
                              std::span<const Extra> extras = {}) const {
        return joint(std::span(counters.begin(), counters.size()), extras);
    }

    /// No launch of the profile has the counter, nor what could stand in for it.
    [[nodiscard]] bool lacks(std::string_view counter) const {
        if (!m_lookup) return false;
        const CounterLookup::Found& known = (*m_lookup)[counter];
        return known.column.empty() && !known.substitutable;
    }

    /// What stood in for counters that the group lacks, in the order of their first use.
    [[nodiscard]] const std::vector<Substitute>& substitutes() const { return m_substitutes; }

private:
    /// Values by row of the table, or, when `perLaunch`, by launch of the group.
    struct Column {
        CounterColumn byRow;
        std::span<const double> values;
        bool perLaunch = false;
        /// Where few launches have a value: which of the group's they are. Otherwise null.
        const std::vector<std::uint32_t>* measured = nullptr;
    };
    /// Values of a sparse column, gathered.
    struct Gathered {
        std::vector<double> values;
        std::vector<std::uint32_t> measured;
    };
    Column column(std::string_view counter) const;
    /// The sum of a counter that all launches have in a column by row; else NaN. Formulas share
    /// counters: each is summed once.
    double wholeSum(const CounterLookup::Found& counter) const;
    /// The sums where every launch has everything, as nearly always. False where that is not so.
    bool ofWholeLaunches(std::span<const std::string_view> counters, std::span<const Extra> extras,
                         Joint& joint) const;
    /// The sums of a few launches whose counters are all in columns by row, as nearly always. False
    /// where that is not so.
    bool ofFewLaunches(std::span<const std::string_view> counters, std::span<const Extra> extras,
                       Joint& joint) const;
    /// The same values side by side, where the column is sparse, or the group's rows are many and
    /// far apart: formulas share counters, and a second walk over rows far apart would wait for the
    /// memory again.
    Column closer(std::string_view counter, const CounterColumn& column) const;

    const CounterTable& m_counters;
    const CounterLookup* m_lookup = nullptr;
    std::span<const std::uint32_t> m_rows;
    mutable std::unordered_map<std::string, Gathered> m_gathered;  ///< by counter
    /// Counters that were looked for and are not there, with what stands in for them if anything.
    mutable std::map<std::string, std::optional<SubstitutedColumn>, std::less<>> m_sought;
    mutable std::vector<Substitute> m_substitutes;
    /// Of `joint`, kept so that the next one need not allocate.
    struct Scratch {
        std::vector<Column> columns;
        std::vector<double> launch;
        std::vector<char> seen;
    };
    mutable Scratch m_scratch;
    /// Sums by CounterLookup::Found::number, as far as they are known; more names are not kept.
    static constexpr std::size_t kKept = 256;
    mutable std::array<double, kKept> m_sums;
    mutable std::array<bool, kKept> m_summed{};
};

}  // namespace roofscope
