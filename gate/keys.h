// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "analyzer/quantities/catalog.h"

/// The quantities that a gate can judge. Internal to gate/ and reports/.
namespace roofscope::gate {

/// How a quantity is compared with its baseline.
enum class Judged {
    Duration,  ///< beyond noise and clocks
    Exact,     ///< repeats usually agree: one launch is enough
    Banded,    ///< needs repeats on both sides
    Limit      ///< follows from others; only limits apply, and it is not in the baseline
};

struct Key {
    const QuantityEntry* quantity = nullptr;
    std::string_view key;
    Words label;
    Unit unit = Unit::Count;
    Judged judged = Judged::Exact;
    double growth = 0;      ///< default of the largest growth that passes, a share
    bool byDefault = true;  ///< judged without a rules file
};

/// All keys, in the order of reports.
[[nodiscard]] std::span<const Key> allKeys();
[[nodiscard]] const Key* findKey(std::string_view key);

/// The duration's key in rules and reports. Baselines have one duration per kind of run.
inline constexpr std::string_view kDurationKey = "duration_ns";
inline constexpr std::string_view kTimingKey = "timing_run_ns";
inline constexpr std::string_view kCounterRunKey = "counter_run_ns";

}  // namespace roofscope::gate
