// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/model/analysis.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "reports/plot/draw_list.h"

namespace roofscope::plot {

struct OverTimeOptions {
    double width = 960;
    double height = 0;   ///< rows grow or shrink to fit; 0: default row height
    bool framed = true;  ///< with the kernel's name as title; a page has its own
    Language language = Language::En;
};

/// Activity over a kernel's run time: one row each for SMs, DRAM, L2, issue slots and, if used,
/// tensor cores, on a common time axis. Above them are brackets over the stretches that the report
/// mentions: a slow start, alternating phases, a tail. Dashed lines are the means of phases; below
/// the rows each phase has a bar, on a line for its kind.
struct OverTimePlot {
    DrawList shapes;
    Rect area = {};                ///< the rows, from start to end of the curve
    std::string title = {};        ///< the kernel's name
    std::string description = {};  ///< the report's sentence about it
};

/// The picture of a kernel with a curve (KernelAnalysis::overTime), else an empty one.
[[nodiscard]] OverTimePlot layoutOverTime(const Analysis& analysis, std::size_t kernel,
                                          const OverTimeOptions& options = {});

/// The values in one interval, a line per row: "12.0 µs to 15.0 µs (phase 2 of 8: computing, 10.0
/// µs to 30.0 µs)", "Active SMs: 100 %", … A missing value reads "–".
[[nodiscard]] std::string overTimeNumbers(const OverTimeAnalysis& life, std::size_t interval,
                                          Language language);

}  // namespace roofscope::plot
