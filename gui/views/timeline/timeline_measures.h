// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <algorithm>

/// Sizes in a timeline, derived from the view's font.
namespace roofscope::gui::timeline_measures {

inline constexpr int kRight = 12, kStripe = 3;
inline constexpr int kFoldedRow = 7;  ///< height of a folded row
/// Rows grow with the pane up to this factor. Higher bars show nothing more.
inline constexpr double kMostGrowth = 2;

/// The least height of a row that is not folded.
[[nodiscard]] inline int leastRowHeight(const QWidget& view) {
    return std::max(26, view.fontMetrics().height() + 11);
}
/// The height of the bars in a row of this height.
[[nodiscard]] inline int barHeight(const QWidget& view, int rowHeight) {
    if (rowHeight <= kFoldedRow) return kFoldedRow - 2;
    const int least = std::max(14, view.fontMetrics().height() - 1);
    return least + rowHeight - leastRowHeight(view);
}
[[nodiscard]] inline int axisHeight(const QWidget& view) {
    return std::max(22, view.fontMetrics().height() + 7);
}
[[nodiscard]] inline int repeatHeight(const QWidget& view) {
    return std::max(16, view.fontMetrics().height() + 2);
}

}  // namespace roofscope::gui::timeline_measures
