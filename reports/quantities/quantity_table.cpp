// SPDX-License-Identifier: Apache-2.0
#include "reports/quantities/quantity_table.h"

#include <cmath>

namespace roofscope {

double toNs(double seconds) { return std::round(seconds * 1e12) / 1e3; }

std::vector<ListedQuantity> quantityTable(const Quantities& quantities) {
    static const Kernel kNoFunction;
    static const LaunchGroup kNoGroup;
    std::vector<ListedQuantity> table;
    for (const QuantityEntry& entry : catalog()) {
        if (!entry.uses.listed) continue;
        QuantityValue value = entry.get({kNoFunction, kNoGroup, quantities});
        if (value.value && entry.unit == Unit::Seconds) value.value = toNs(*value.value);
        const bool notAsked = !value.value && wasNotRequested(entry, quantities);
        table.push_back({.key = entry.key,
                         .value = value.value,
                         .missing = value.missing,
                         .notAsked = notAsked});
    }
    return table;
}

}  // namespace roofscope
