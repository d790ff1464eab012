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

/// Ticks between two logarithms on an axis of `pixels` length: decades, thinned out if they are
/// close; 1-2-5 steps if few decades are shown; linear steps if less than one is.
[[nodiscard]] std::vector<Tick> logTicks(double low, double high, double pixels, TickStyle style);

}  // namespace roofscope::plot
