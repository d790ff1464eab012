// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// What a search in the plot finds. The line is that of the kernel filter: words and comparisons.
struct PlotSearch {
    std::vector<std::size_t> kernels;  ///< that match and have a place in the plot, ascending
    std::size_t elsewhere = 0;         ///< that match without one
    QString error;                     ///< what is wrong with the line

    /// The match after `current`, or before it; round at the ends.
    [[nodiscard]] std::optional<std::size_t> next(std::optional<std::size_t> current,
                                                  bool forward) const;
    /// "3 of 17"; how many without a current one.
    [[nodiscard]] QString count(std::optional<std::size_t> current) const;
};

/// `plotted`: the kernels that have a place, ascending.
[[nodiscard]] PlotSearch searchPlot(const Analysis& analysis, const QString& line,
                                    const std::vector<std::size_t>& plotted);

}  // namespace roofscope::gui
