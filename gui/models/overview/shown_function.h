// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "analyzer/program/program.h"
#include "gui/models/kernels/kernel_selection.h"

namespace roofscope::gui {

/// A kernel function, by name, that runs in a span of time (the window or a selected range).
struct ShownFunction {
    QString name;
    QString share, time;      ///< "63.1 %" of `whole`, "2.10 ms"
    QString launches;         ///< "× 12", "× 0.5"; per window
    QString shapes;           ///< "3 shapes"; empty if there is only one
    QString verdict;          ///< of the heaviest launch shape whose limit is known
    KernelSelection kernels;  ///< one kernel per launch shape
};
/// `whole`: the time that shares refer to.
[[nodiscard]] std::vector<ShownFunction> shownFunctions(
    const Analysis& analysis, const std::vector<KernelFunction>& functions, Seconds whole);

}  // namespace roofscope::gui
