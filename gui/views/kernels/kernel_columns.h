// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofscope::gui {

/// The columns of the kernel table that a narrow window keeps, in pixels: 0 for a column that is
/// not wanted.
struct ColumnNeeds {
    int all = 0;  ///< of the table
    int leastName = 0, goodName = 0, longestName = 0;
    int leastVerdict = 0, goodVerdict = 0, longestVerdict = 0;
    int time = 0, change = 0, share = 0;
    int others = 0;  ///< behind these; they are scrolled to
};

/// What they get.
struct ColumnPlan {
    int name = 0, verdict = 0;
    bool time = true, share = true;

    bool operator==(const ColumnPlan&) const = default;
};

/// Name, share (with a baseline the change since it) and verdict are seen whole. Where names and
/// verdicts have no good width, the time goes first, because the share orders kernels as well;
/// then, beside a change, the share. Names and verdicts share what is left.
[[nodiscard]] ColumnPlan planColumns(const ColumnNeeds& needs);

}  // namespace roofscope::gui
