// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/plot/roofline_layout.h"

/// Zooming and panning of a log–log viewport. Fractions run 0–1 over the plot area: `fx` from the
/// left, `fy` from the bottom.
namespace roofscope::gui {

/// Smallest and largest extent of an axis, in decades.
inline constexpr double kMinSpan = 0.05, kMaxSpan = 30;

/// Zooms by `factor` (> 1 zooms in); the point at (fx, fy) stays where it is. Both axes use the
/// same factor, limited so that their extents stay within [kMinSpan, kMaxSpan].
[[nodiscard]] plot::Viewport zoomed(const plot::Viewport& view, double fx, double fy,
                                    double factor);

/// Moves the picture by a share of the plot area: positive `dx` moves it right, positive `dy` up.
[[nodiscard]] plot::Viewport panned(const plot::Viewport& view, double dx, double dy);

}  // namespace roofscope::gui
