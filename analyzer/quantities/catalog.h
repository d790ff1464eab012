// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analyzer/model/analysis.h"

/// The catalogue of quantities. Key, label, unit, getter and stability of each are defined here
/// once; JSON, CSV, comparisons, the gate and tables use them.
namespace roofscope {

/// What a quantity is read from: a launch group, its kernel, and what was derived.
struct QuantityOf {
    const Kernel& function;
    const LaunchGroup& group;
    const Quantities& quantities;
};

struct QuantityValue {
    std::optional<double> value;  ///< finite
    SharedText missing;           ///< counters that are missing; without value and empty: not
                                  ///< applicable
    SharedText how;               ///< the formula, in this profile's counters
};

/// How far repeated launches of the same work agree.
enum class Stability {
    Exact,   ///< usually to the last digit: one launch is enough
    Banded,  ///< within a band: needs repeats
    Time     ///< depends on clocks and neighbours
};

/// What the gate does with a quantity.
enum class GateUse {
    No,
    Judged,     ///< compared with its baseline by default
    OnRequest,  ///< compared with its baseline if a rules file says so
    Limit       ///< follows from other quantities: only limits apply, and it is not in the baseline
};

/// Where a quantity is used.
struct QuantityUses {
    bool listed = true;  ///< in JSON and CSV
    bool compared = false;
    GateUse gate = GateUse::No;
    bool busy = false;  ///< how busy a resource is: comparisons show these in one line
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
    CounterGroup group = CounterGroup::Default;  ///< what must be recorded for it
};

/// All quantities, in the order of reports.
[[nodiscard]] std::span<const QuantityEntry> catalog();
/// The quantity of that key, or nullptr.
[[nodiscard]] const QuantityEntry* findQuantity(std::string_view key);

/// True if it needs counters that are recorded on request and the profile has none: nothing is
/// missing.
[[nodiscard]] bool wasNotRequested(const QuantityEntry& entry, const Quantities& quantities);

}  // namespace roofscope
