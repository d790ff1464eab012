// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/plot/layout_canvas.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::plot {

/// Draws the legend from `first` on, no wider than to `right`. Of the roofs it names those of
/// arithmetic where the canvas says that they have no other place. Returns its last row.
double drawLegend(LayoutCanvas& canvas, const RoofLines& roofs, Point first, double right);

}  // namespace roofscope::plot
