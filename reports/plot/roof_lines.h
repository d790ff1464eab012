// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "reports/plot/draw_list.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

/// A roof as a line in base-10 logarithms of intensity and rate.
struct RoofLine {
    const Roof* roof = nullptr;
    Role role = Role::Dram;
    Point from, to;     ///< (log10 FLOP/B, log10 FLOP/s); flats are open to the right
    std::string name;   ///< "DRAM"
    std::string rate;   ///< "4.81 TB/s"
    std::string label;  ///< "DRAM 4.81 TB/s"; measured: "DRAM 4.71 TB/s measured"
};

/// Where a bandwidth roof meets a compute roof, in logarithms.
struct RidgePoint {
    Point at;
    Role role = Role::Dram;
};

struct RoofLines {
    std::vector<RoofLine> lines;
    std::vector<RidgePoint> ridges;
};

/// The roofs of one device at the enabled levels. A bandwidth roof ends at the highest compute
/// roof; a compute roof starts at its ridge point with the highest bandwidth. Measured roofs meet
/// measured ones if there are any. `view` limits open ends.
[[nodiscard]] RoofLines roofLines(const Analysis& analysis, const RooflineOptions& options,
                                  const Viewport& view);

[[nodiscard]] Role roleOf(Level level);
[[nodiscard]] Role roleOf(const Arithmetic& arithmetic);
[[nodiscard]] MarkerShape shapeOf(Level level);

}  // namespace roofscope::plot
