// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analyzer/model/analysis.h"

/// The catalogue of quantities: key, label, unit, getter and how far repeats agree stand here once,
/// and JSON, CSV, comparisons, the gate and tables take them from here.
namespace roofscope {

/// What quantities are read from: a launch group, its kernel, and what was derived.
struct QuantityOf {
    const Kernel& function;
    const LaunchGroup& group;
    const Quantities& quantities;
};

struct QuantityValue {
    std::optional<double> value;  ///< finite
    SharedText missing;           ///< counters that are absent; empty with no value: not applicable
    SharedText how;               ///< the formula, in this profile's counters
};

/// How far repeated launches of the same work agree.
enum class Stability {
    Exact,   ///< as a rule in every digit: one launch is enough
    Banded,  ///< within a band: needs repeats
    Time     ///< follows clocks and neighbours
};

/// What the gate does with a quantity.
enum class GateUse {
    No,
    Judged,     ///< against its baseline, without being asked
    OnRequest,  ///< against its baseline, where a rules file says so
    Limit       ///< follows from others: only limits apply, and it is not in the baseline
};

/// Where a quantity is shown.
struct QuantityUses {
    bool listed = true;  ///< in JSON and CSV
    bool compared = false;
    GateUse gate = GateUse::No;
    bool busy = false;  ///< how busy a resource is: comparisons have a line of these
};

/// One quantity. Keys end in their unit ("dram_bytes", "issue_utilisation_ratio"); ratios run from
/// 0 to 1. Values are in the unit's base (bytes, seconds).
struct QuantityEntry {
    std::string_view key;
    Words label;
    Unit unit = Unit::Count;
    QuantityValue (*get)(const QuantityOf&) = nullptr;
    Stability stability = Stability::Exact;
    QuantityUses uses = {};
    CounterGroup group = CounterGroup::Default;  ///< what has to be recorded
};

/// All quantities, in the order of reports.
[[nodiscard]] std::span<const QuantityEntry> catalog();
/// The quantity of that key, or nullptr.
[[nodiscard]] const QuantityEntry* findQuantity(std::string_view key);

/// Of counters that are recorded on request, of which the profile has none: nothing is lacking.
[[nodiscard]] bool wasNotAsked(const QuantityEntry& entry, const Quantities& quantities);

}  // namespace roofscope
