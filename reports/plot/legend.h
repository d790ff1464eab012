// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/plot/layout_canvas.h"
#include "reports/plot/roof_lines.h"

namespace roofscope::plot {

/// Draws the legend from `first` up to x = `right`; returns the y of its last row. Names compute
/// roofs only if the canvas's naming is RoofNaming::Legend.
double drawLegend(LayoutCanvas& canvas, const RoofLines& roofs, Point first, double right);

}  // namespace roofscope::plot
