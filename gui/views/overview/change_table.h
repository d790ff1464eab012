// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/account_change.h"
#include "reports/plot/draw_list.h"

class QGridLayout;
class QWidget;

namespace roofscope::gui {

/// Two bars to the same scale, and a row for each time class: before, after, change. Differences
/// too small to count as a change are grey italics. Uses the font of the widget `font`.
[[nodiscard]] QGridLayout* changeTable(const AccountChange& change, plot::Theme theme,
                                       const QWidget& font);

}  // namespace roofscope::gui
