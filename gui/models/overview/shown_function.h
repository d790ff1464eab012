// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "analyzer/program/program.h"
#include "gui/models/kernels/kernel_selection.h"

namespace roofscope::gui {

/// A kernel function that runs in a stretch of time (the window, a selected range), by name.
struct ShownFunction {
    QString name;
    QString share, time;      ///< "63.1 %" of `whole`, "2.10 ms"
    QString launches;         ///< "× 12", "× 0.5": per window
    QString shapes;           ///< "3 shapes"; empty if there is only one
    QString verdict;          ///< of its heaviest shape whose limit is known
    KernelSelection kernels;  ///< its launch shapes
};
/// `whole`: what shares refer to.
[[nodiscard]] std::vector<ShownFunction> shownFunctions(
    const Analysis& analysis, const std::vector<KernelFunction>& functions, Seconds whole);

}  // namespace roofscope::gui
