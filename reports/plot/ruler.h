// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analyzer/model/analysis.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

/// How far a kernel is from what limits it: from one of its dots straight up to the rate at which
/// that resource would be busy all the time.
struct Ruler {
    RooflinePoint dot;
    double rate = 0;    ///< FLOP/s at the upper end
    double factor = 1;  ///< of the dot's rate; at least 1
    std::string name;   ///< "DRAM", "L1 data pipe"
    std::string gap;    ///< "1.5× to go", "at its roof"
};

/// The ruler of a kernel, at one of the levels that are shown; nullopt where nothing is known to
/// limit it, or it has no dot.
[[nodiscard]] std::optional<Ruler> rulerOf(const KernelAnalysis& kernel,
                                           const RooflineOptions& options);

/// Whether a dot of that kind lies under a compute roof: its precision or type.
[[nodiscard]] bool isOwnRoof(const Roof& roof, const KernelAnalysis& kernel);

}  // namespace roofscope::plot
