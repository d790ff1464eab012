// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analyzer/compare/program_comparison.h"
#include "gui/models/text/number_text.h"

namespace roofscope::gui {

/// The time accounts of the baseline and the shown recording side by side, class by class. Both
/// refer to the windows that the comparison is about.
struct AccountChange {
    /// A row of the table: a class or, in the last row, the whole window.
    struct Row {
        std::optional<TimeClass> cls;  ///< absent: the window
        QString name;                  ///< "copies, no kernel running"
        QString before, after;         ///< "58.7 ms"; "–": not recorded
        QString change;                ///< "-10.3 ms"; empty if a side is unknown
        bool moved = false;            ///< large enough to count as a change
    };
    /// A segment of a bar: one class.
    struct Part {
        TimeClass cls = TimeClass::Kernels;
        double share = 0;  ///< of the longer of the two windows
        QString percent;   ///< of its own window, "86.2 %"
    };
    std::vector<Row> rows;
    std::vector<Part> before, after;  ///< segments of both bars, to the same scale
    bool comparable = false;          ///< if false, the numbers are only shown and not compared

    /// The name of the last row: "all".
    [[nodiscard]] static QString allText();
};

/// "+10.3 ms", "-10.3 ms", "0 ns".
[[nodiscard]] QString signedTime(Seconds change);

/// The segments of a bar: an Account's or a RangeAccount's classes that take time.
template <class Times>
[[nodiscard]] std::vector<AccountChange::Part> partsOf(const Times& account, Seconds longest) {
    std::vector<AccountChange::Part> parts;
    for (const TimeClass cls : kTimeClasses)
        if (account.time[cls].value > 0)
            parts.push_back({.cls = cls,
                             .share = account.time[cls] / longest,
                             .percent = text(account.share(cls))});
    return parts;
}

/// Nullopt if one side has no times.
[[nodiscard]] std::optional<AccountChange> accountChange(const ProgramComparison& program);

}  // namespace roofscope::gui
