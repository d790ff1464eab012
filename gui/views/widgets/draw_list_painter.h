// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QPainter>
#include <QPainterPath>

#include "reports/plot/draw_list.h"

namespace roofscope::gui {

/// The theme's colour of a role.
[[nodiscard]] QColor roleColour(plot::Role role, plot::Theme theme);

/// A marker's outline, used for dots, legends and icons.
[[nodiscard]] QPainterPath markerPath(const plot::MarkerShapeItem& marker);

/// Draws a list, which plot::toSvg() can also write as SVG, at the painter's origin.
void paint(QPainter& painter, const plot::DrawList& shapes, plot::Theme theme);

}  // namespace roofscope::gui
