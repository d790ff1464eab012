// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "gui/models/details/memory_chart.h"
#include "reports/plot/draw_list.h"

namespace roofscope::gui {

/// A memory chart as placed: shared memory, kernel, L1, L2 and DRAM in a row, an arrow between
/// neighbours whose width and strength of colour are the share of the peak. What was not measured
/// is dashed.
struct MemoryChartPlot {
    plot::DrawList shapes;
    /// Where a tooltip is to be shown; plain text.
    struct Spot {
        plot::Rect rect;
        QString tip;
    };
    std::vector<Spot> spots;  ///< the first that holds a point is meant
};

/// Narrower than this the texts would overlap.
inline constexpr double kLeastChartWidth = 1250;

/// `width` is that of the picture, at least kLeastChartWidth; its height follows. A title is drawn
/// when it is not empty.
[[nodiscard]] MemoryChartPlot layoutMemoryChart(const MemoryChart& chart, double width,
                                                const QString& title = {});

}  // namespace roofscope::gui
