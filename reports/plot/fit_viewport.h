// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

/// The viewport (base-10 logarithms) that shows all places, all ridge points and the start of the
/// slopes.
[[nodiscard]] Viewport fitViewport(const std::vector<Point>& places, const std::vector<Roof>& roofs,
                                   const RooflineOptions& options);

/// Whether a viewport has finite, ordered limits.
[[nodiscard]] bool isUsable(const Viewport& view);

}  // namespace roofscope::plot
