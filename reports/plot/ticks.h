// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roofscope::plot {

/// A tick of a logarithmic axis.
struct Tick {
    double log = 0;      ///< base-10 logarithm of its value
    std::string label;   ///< empty for ticks without one
    bool major = false;  ///< full grid line; minor ones are fainter
};

enum class TickStyle {
    Plain,  ///< "0.01", "10", "1000"
    Si      ///< "100 G", "1 T"
};

/// Ticks between two logarithms for an axis of `pixels`: decades, thinned out when they are close;
/// 1-2-5 steps when few decades are shown; equal steps when less than one is.
[[nodiscard]] std::vector<Tick> logTicks(double low, double high, double pixels, TickStyle style);

}  // namespace roofscope::plot
