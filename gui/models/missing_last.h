// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QVariant>
#include <optional>

namespace roofscope::gui {

/// lessThan() of a proxy model as far as missing values (invalid variants) decide it: they come
/// last, ascending and descending. nullopt when both values are there.
[[nodiscard]] inline std::optional<bool> missingLast(const QVariant& left, const QVariant& right,
                                                     Qt::SortOrder order) {
    if (left.isValid() && right.isValid()) return std::nullopt;
    if (!left.isValid() && !right.isValid()) return false;
    // A proxy swaps the arguments' meaning when it sorts downwards.
    return order == Qt::AscendingOrder ? left.isValid() : right.isValid();
}

}  // namespace roofscope::gui
