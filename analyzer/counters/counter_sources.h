// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/derived.h"
#include "profile/model/counter_table.h"

namespace roofscope {

/// A counter computed from others: one value per row that was asked for, NaN where missing.
struct SubstitutedColumn {
    std::vector<double> values;
    std::string formula;
};

/// A counter that has no value in any of `rows`, from other counters of the same profile.
///
/// Profiles of other tools (docs/import.md) hold counters under other names or as rates. The ways
/// to a counter stand in a table and are tried in order; the first whose counters were all measured
/// in at least one of the rows counts. Nothing when there is none: then the counter is missing.
[[nodiscard]] std::optional<SubstitutedColumn> substituteCounter(
    const CounterTable& counters, std::string_view counter, std::span<const std::uint32_t> rows);
/// False when no way to the counter leads through columns of the table, whatever the rows.
[[nodiscard]] bool canSubstitute(const CounterTable& counters, std::string_view counter);

/// Puts formulas in place of the names of substituted counters: "32 × a.sum" → "32 × (b × c)".
[[nodiscard]] std::string explainSubstitutes(std::string text,
                                             std::span<const Substitute> substitutes);
[[nodiscard]] Words explainSubstitutes(const Words& text, std::span<const Substitute> substitutes);

}  // namespace roofscope
