// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/overview.h"
#include "reports/plot/draw_list.h"

class QGridLayout;
class QWidget;

namespace roofscope::gui {

/// The classes of an account, one below the other: colour, name, share, time. `font`: the widget
/// whose font is used.
[[nodiscard]] QGridLayout* accountLegend(const Overview::Account& account, plot::Theme theme,
                                         const QWidget& font);

}  // namespace roofscope::gui
