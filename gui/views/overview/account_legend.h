// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/overview.h"
#include "reports/plot/draw_list.h"

class QGridLayout;
class QLabel;
class QWidget;

namespace roofscope::gui {

/// A square in the colour of a class.
[[nodiscard]] QLabel* classSwatch(TimeClass cls, plot::Theme theme, const QWidget& font);
/// Its name, in one line unless it is very long.
[[nodiscard]] QLabel* className(const QString& name, const QWidget& font);
/// The classes of an account, one below the other: colour, name, share, time. `font`: the widget
/// whose font is used.
[[nodiscard]] QGridLayout* accountLegend(const Overview::Account& account, plot::Theme theme,
                                         const QWidget& font);

}  // namespace roofscope::gui
