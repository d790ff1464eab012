// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "analyzer/program/program.h"

namespace roofscope::gui {

/// What the framework's operators cost and compute, worded as in the reports
/// (reports/program/operator_words.h). Plain text without control characters.
struct OperatorList {
    QString flops;                  ///< how their FLOPs compare with the roofs; may be empty
    QStringList headings;           ///< column headings
    std::vector<bool> numbers;      ///< by column: right-aligned
    std::vector<QStringList> rows;  ///< one text per column; the operator with the most time first
    QString note;                   ///< how the numbers were obtained; empty without rows
};

[[nodiscard]] OperatorList operatorListOf(const Analysis& analysis, const Program& program);

}  // namespace roofscope::gui
