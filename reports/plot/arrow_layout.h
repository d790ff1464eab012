// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/plot/layout_canvas.h"

namespace roofscope::plot {

/// An unfilled marker.
void drawRing(std::vector<Shape>& to, Point centre, double radius, MarkerShape shape, Role role,
              double opacity);
void drawArrow(std::vector<Shape>& to, Point from, Point tip, Role role, double width,
               double opacity);

/// Arrows from the baseline's positions: those of selected kernels, and all others unless there are
/// too many to follow.
void placeArrows(LayoutCanvas& canvas);
void drawArrows(LayoutCanvas& canvas);

}  // namespace roofscope::plot
