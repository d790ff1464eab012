// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/overview.h"
#include "reports/plot/draw_list.h"

class QGridLayout;
class QLabel;
class QWidget;

namespace roofscope::gui {

/// A square in the colour of a time class.
[[nodiscard]] QLabel* classSwatch(TimeClass cls, plot::Theme theme, const QWidget& font);
/// The name of a time class, in one line unless it is very long.
[[nodiscard]] QLabel* className(const QString& name, const QWidget& font);
/// A table of the time classes in an account: colour, name, share, time. Uses the font of the
/// widget `font`.
[[nodiscard]] QGridLayout* accountLegend(const Overview::Account& account, plot::Theme theme,
                                         const QWidget& font);

}  // namespace roofscope::gui
