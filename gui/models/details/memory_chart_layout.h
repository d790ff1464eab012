// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "gui/models/details/memory_chart.h"
#include "reports/plot/draw_list.h"

namespace roofscope::gui {

/// The layout of a memory chart: shared memory, kernel, L1, L2 and DRAM in a row, with arrows
/// between neighbours. Width and opacity of an arrow show the share of peak. Dashed: not measured.
struct MemoryChartPlot {
    plot::DrawList shapes;
    /// An area with a tooltip (plain text).
    struct Spot {
        plot::Rect rect;
        QString tip;
    };
    std::vector<Spot> spots;  ///< if several contain a point, the first counts
};

/// In a narrower chart the texts would overlap.
inline constexpr double kLeastChartWidth = 1250;

/// `width` is the width of the picture, at least kLeastChartWidth; the height follows from the
/// rows. An empty title is not drawn.
[[nodiscard]] MemoryChartPlot layoutMemoryChart(const MemoryChart& chart, double width,
                                                const QString& title = {});

}  // namespace roofscope::gui
