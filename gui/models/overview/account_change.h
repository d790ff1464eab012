// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analyzer/compare/program_comparison.h"

namespace roofscope::gui {

/// The account of the baseline beside that of the shown recording, class by class. Both are of the
/// windows that the comparison judges.
struct AccountChange {
    /// A class, or the whole window in the last row.
    struct Row {
        std::optional<TimeClass> cls;  ///< absent: the window
        QString name;                  ///< "copies, no kernel running"
        QString before, after;         ///< "58.7 ms"; "–": not recorded
        QString change;                ///< "-10.3 ms"; empty if a side is not known
        bool moved = false;            ///< enough to be called a change
    };
    /// A class as a part of a bar.
    struct Part {
        TimeClass cls = TimeClass::Kernels;
        double share = 0;  ///< of the longer window
        QString percent;   ///< of its own window, "86.2 %"
    };
    std::vector<Row> rows;
    std::vector<Part> before, after;  ///< both drawn to one scale
    bool comparable = false;          ///< else all numbers are only shown
};

/// Nullopt if a side was not timed.
[[nodiscard]] std::optional<AccountChange> accountChange(const ProgramComparison& program);

}  // namespace roofscope::gui
