// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plot/viewport_math.h"

#include <algorithm>

namespace roofscope::gui {

plot::Viewport zoomed(const plot::Viewport& view, double fx, double fy, double factor) {
    const double width = view.xMax - view.xMin, height = view.yMax - view.yMin;
    if (width <= 0 || height <= 0 || factor <= 0) return view;
    const double largest = std::min(width, height) / kMinSpan;
    const double smallest = std::max(width, height) / kMaxSpan;
    // A view that is already beyond a limit may still zoom in the other direction.
    if (factor > 1) factor = std::min(factor, std::max(1.0, largest));
    if (factor < 1) factor = std::max(factor, std::min(1.0, smallest));
    const double x = view.xMin + fx * width, y = view.yMin + fy * height;
    return {.xMin = x - fx * width / factor,
            .xMax = x + (1 - fx) * width / factor,
            .yMin = y - fy * height / factor,
            .yMax = y + (1 - fy) * height / factor};
}

plot::Viewport panned(const plot::Viewport& view, double dx, double dy) {
    const double x = dx * (view.xMax - view.xMin), y = dy * (view.yMax - view.yMin);
    return {
        .xMin = view.xMin - x, .xMax = view.xMax - x, .yMin = view.yMin - y, .yMax = view.yMax - y};
}

}  // namespace roofscope::gui
