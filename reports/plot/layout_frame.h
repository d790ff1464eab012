// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/plot/layout_canvas.h"
#include "reports/plot/margin_names.h"

namespace roofscope::plot {

/// Sets the plot's title, and its description for readers who cannot see it.
void describePlot(LayoutCanvas& canvas);
/// Draws title, legend and notes. The plot area with its axes and grid gets the room that they and
/// the names in the margin leave.
void drawFrame(LayoutCanvas& canvas, const RoofLines& roofs, MarginNames& margin);

}  // namespace roofscope::plot
