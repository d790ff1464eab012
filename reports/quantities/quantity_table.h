// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyzer/quantities/catalog.h"

namespace roofscope {

/// A derived number under the stable key that JSON and CSV share (analyzer/quantities/catalog.h);
/// times are in nanoseconds.
struct ListedQuantity {
    std::string_view key;
    std::optional<double> value;
    SharedText missing;  ///< absent counters; empty without a value: not applicable
    /// It needs counters that are recorded only on request and were not requested: nothing is
    /// lacking.
    bool notAsked = false;
};

/// Seconds as nanoseconds, rounded to a thousandth: 329200, not 329200.00000000006.
[[nodiscard]] double toNs(double seconds);

/// All quantities of a kernel, always the same keys in the same order.
[[nodiscard]] std::vector<ListedQuantity> quantityTable(const Quantities& quantities);

}  // namespace roofscope
