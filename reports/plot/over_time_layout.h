// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/analysis.h"
#include "reports/plot/draw_list.h"

namespace roofscope::plot {

struct OverTimeOptions {
    double width = 960;
    bool framed = true;  ///< with the kernel's name above; a page says it itself
    Language language = Language::En;
};

/// Activity over a kernel's time: one row for each of SMs, DRAM, L2, issue slots and, where they
/// work, tensor cores, on one axis of time.
struct OverTimePlot {
    DrawList shapes;
    std::string title;        ///< the kernel's name
    std::string description;  ///< what the report says of it
};

/// The picture of a kernel that has a curve (KernelAnalysis::overTime); else an empty one.
[[nodiscard]] OverTimePlot layoutOverTime(const Analysis& analysis, std::size_t kernel,
                                          const OverTimeOptions& options = {});

}  // namespace roofscope::plot
