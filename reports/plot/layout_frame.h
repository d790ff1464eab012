// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/plot/layout_canvas.h"
#include "reports/plot/margin_names.h"

namespace roofscope::plot {

/// The plot's title, and its description for readers who cannot see it.
void describePlot(LayoutCanvas& canvas);
/// Title, legend, notes and, from the room that they and the names in the margin leave, the plot
/// area with its axes and grid.
void drawFrame(LayoutCanvas& canvas, const RoofLines& roofs, MarginNames& margin);

}  // namespace roofscope::plot
