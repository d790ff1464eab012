// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"

namespace roofscope::gui {

/// Result of a search in the plot. The search line has the syntax of the kernel filter.
struct PlotSearch {
    std::vector<std::size_t> kernels;  ///< matches that are in the plot, ascending
    std::size_t elsewhere = 0;         ///< number of matches that are not in the plot
    QString error;                     ///< what is wrong with the search line

    /// The match after `current`, or before it; wraps around.
    [[nodiscard]] std::optional<std::size_t> next(std::optional<std::size_t> current,
                                                  bool forward) const;
    /// "3 of 17", or "17 found" if `current` is not a match.
    [[nodiscard]] QString count(std::optional<std::size_t> current) const;
};

/// `plotted`: the kernels that are in the plot, ascending.
[[nodiscard]] PlotSearch searchPlot(const Analysis& analysis, const QString& line,
                                    const std::vector<std::size_t>& plotted);

}  // namespace roofscope::gui
