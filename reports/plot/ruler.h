// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analyzer/model/analysis.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

/// How far a kernel is from its limit: from one of its dots straight up to the rate at which the
/// limiting resource would be busy all the time.
struct Ruler {
    RooflinePoint dot;
    double rate = 0;    ///< FLOP/s at the upper end
    double factor = 1;  ///< rate / the dot's rate; at least 1
    std::string name;   ///< "DRAM", "L1 data pipe"
    std::string gap;    ///< "1.5× to go", "at its roof"
};

/// The ruler of a kernel at one of the shown levels; nullopt if no limiter is known or it has no
/// dot.
[[nodiscard]] std::optional<Ruler> rulerOf(const KernelAnalysis& kernel,
                                           const RooflineOptions& options);

/// Whether a kernel has a dot with the precision or type of this compute roof.
[[nodiscard]] bool isOwnRoof(const Roof& roof, const KernelAnalysis& kernel);

}  // namespace roofscope::plot
