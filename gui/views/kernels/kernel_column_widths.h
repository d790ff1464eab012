// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope::gui {

/// Widths in pixels of the table columns that stay visible in a narrow window; 0 for a column that
/// is hidden.
struct ColumnNeeds {
    int all = 0;  ///< width of the table
    int leastName = 0, goodName = 0, roomyName = 0, longestName = 0;
    int leastVerdict = 0, goodVerdict = 0, longestVerdict = 0;
    int time = 0, change = 0, share = 0;
    int others = 0;  ///< all further columns together; reached by scrolling
    int next = 0;    ///< the first of them, which are in view where names have a roomy width
};

/// The resulting widths, and whether time and share are visible.
struct ColumnPlan {
    int name = 0, verdict = 0;
    bool time = true, share = true;

    bool operator==(const ColumnPlan&) const = default;
};

/// Keeps name, share (with a baseline: change) and verdict visible without scrolling. If names and
/// verdicts would get less than a good width, hides the time first, because the share gives the
/// same order; then, if there is a change column, the share. Names and verdicts divide the rest,
/// and names get what all columns leave over.
[[nodiscard]] ColumnPlan planColumns(const ColumnNeeds& needs);

}  // namespace roofscope::gui
