// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/account_change.h"
#include "reports/plot/draw_list.h"

class QGridLayout;
class QWidget;

namespace roofscope::gui {

/// Two bars on one scale, and a row for each time class: before, after, change. What is not called
/// a change is grey and slanted. `font`: the widget whose font it is drawn in.
[[nodiscard]] QGridLayout* changeTable(const AccountChange& change, plot::Theme theme,
                                       const QWidget& font);

}  // namespace roofscope::gui
