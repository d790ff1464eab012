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

/// Computes a counter that has no value in any of `rows` from other counters of the same profile.
///
/// Profiles of other tools (docs/import.md) hold counters under other names or as rates. The
/// alternatives for a counter are tried in a fixed order. The first one whose counters were all
/// measured in at least one of the rows is used; nullopt if there is none.
[[nodiscard]] std::optional<SubstitutedColumn> substituteCounter(
    const CounterTable& counters, std::string_view counter, std::span<const std::uint32_t> rows);
/// False if the table lacks the columns for every alternative, whatever the rows.
[[nodiscard]] bool canSubstitute(const CounterTable& counters, std::string_view counter);

/// Replaces the names of substituted counters by formulas: "32 × a.sum" → "32 × (b × c)".
[[nodiscard]] std::string explainSubstitutes(std::string text,
                                             std::span<const Substitute> substitutes);
[[nodiscard]] Words explainSubstitutes(const Words& text, std::span<const Substitute> substitutes);

}  // namespace roofscope
