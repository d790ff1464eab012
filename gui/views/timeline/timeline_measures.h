// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <algorithm>

/// Sizes in a timeline, derived from the view's font.
namespace roofscope::gui::timeline_measures {

inline constexpr int kRight = 12, kStripe = 3;

[[nodiscard]] inline int rowHeight(const QWidget& view) {
    return std::max(26, view.fontMetrics().height() + 11);
}
[[nodiscard]] inline int barHeight(const QWidget& view) {
    return std::max(14, view.fontMetrics().height() - 1);
}
[[nodiscard]] inline int axisHeight(const QWidget& view) {
    return std::max(22, view.fontMetrics().height() + 7);
}
[[nodiscard]] inline int repeatHeight(const QWidget& view) {
    return std::max(16, view.fontMetrics().height() + 2);
}

}  // namespace roofscope::gui::timeline_measures
