// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

/// The part of the plane that shows every place (base-10 logarithms), every ridge and the foot of
/// the roofs.
[[nodiscard]] Viewport fitViewport(const std::vector<Point>& places, const std::vector<Roof>& roofs,
                                   const RooflineOptions& options);

/// True when a viewport has finite limits in order.
[[nodiscard]] bool isUsable(const Viewport& view);

}  // namespace roofscope::plot
