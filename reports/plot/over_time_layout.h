// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/model/analysis.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "reports/plot/draw_list.h"

namespace roofscope::plot {

struct OverTimeOptions {
    double width = 960;
    double height = 0;   ///< rows fill it as far as they can be read; 0: rows of the usual height
    bool framed = true;  ///< with the kernel's name above; a page says it itself
    Language language = Language::En;
};

/// Activity over a kernel's time: one row for each of SMs, DRAM, L2, issue slots and, where they
/// work, tensor cores, on one axis of time. Above them a bracket over each stretch that the report
/// names: a slow start, phases that take turns, a tail. Dashed lines are the means of phases; below
/// the rows a bar stands for each phase, on a line for its kind.
struct OverTimePlot {
    DrawList shapes;
    Rect area = {};  ///< the rows, from the beginning of the first interval to the last's end
    std::string title = {};        ///< the kernel's name
    std::string description = {};  ///< what the report says of it
};

/// The picture of a kernel that has a curve (KernelAnalysis::overTime); else an empty one.
[[nodiscard]] OverTimePlot layoutOverTime(const Analysis& analysis, std::size_t kernel,
                                          const OverTimeOptions& options = {});

/// What the curve is in one of its intervals, a line per row: "12.0 µs to 15.0 µs (phase 2 of 8:
/// computing, 10.0 µs to 30.0 µs)", "Active SMs: 100 %", … A missing value reads "–".
[[nodiscard]] std::string overTimeNumbers(const OverTimeAnalysis& life, std::size_t interval,
                                          Language language);

}  // namespace roofscope::plot
