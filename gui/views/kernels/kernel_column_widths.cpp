// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernels/kernel_column_widths.h"

#include <algorithm>

namespace roofscope::gui {

ColumnPlan planColumns(const ColumnNeeds& needs) {
    constexpr double kNames = 0.48;    // share of names in the width of names and verdicts
    constexpr double kOfTable = 0.42;  // names keep this share; other columns scroll instead
    ColumnPlan plan;
    const auto beside = [&] {
        return (plan.time ? needs.time : 0) + needs.change + (plan.share ? needs.share : 0);
    };
    const auto fits = [&] { return needs.goodName + beside() + needs.goodVerdict <= needs.all; };
    const bool importance = needs.share > 0 || needs.change > 0;
    if (!fits() && importance) plan.time = false;
    if (!fits() && needs.change > 0) plan.share = false;

    const int longestName = std::max(needs.leastName, needs.longestName);
    const int roomy = std::max(needs.goodName, needs.roomyName);
    const bool wide = roomy + beside() + needs.goodVerdict + needs.next <= needs.all;
    const int next = wide ? needs.next : 0;
    const int room = needs.all - beside() - next;
    if (needs.leastVerdict > 0) {
        const int good = std::max(int(kNames * room), wide ? needs.roomyName : 0);
        const int wanted = std::clamp(good, needs.leastName, longestName);
        plan.verdict = std::clamp(room - wanted, needs.leastVerdict,
                                  std::max(needs.leastVerdict, needs.longestVerdict));
    }
    const int whole = room - plan.verdict - (needs.others - next);
    const int names = std::max(whole, std::min(room - plan.verdict, int(kOfTable * needs.all)));
    plan.name = std::clamp(names, needs.leastName, longestName);
    return plan;
}

}  // namespace roofscope::gui
