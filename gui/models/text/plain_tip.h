// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "gui/models/text/shown_text.h"

namespace roofscope::gui {

/// A tooltip that shows `text` literally: markup is escaped, line breaks are kept.
[[nodiscard]] inline QString plainTip(const QString& text) {
    return text.isEmpty() ? text
                          : QStringLiteral("<p style='white-space:pre'>%1</p>")
                                .arg(shownLines(text).toHtmlEscaped());
}

/// The rows of a tooltip's table: label and value.
using Facts = std::vector<std::pair<QString, QString>>;

/// A tooltip with a name, a table of facts and, if not empty, a text below.
[[nodiscard]] inline QString factTip(const QString& name, const Facts& facts,
                                     const QString& below = {}) {
    QString html =
        QStringLiteral("<p style='white-space:pre'><b>%1</b></p><table>").arg(name.toHtmlEscaped());
    for (const auto& [label, value] : facts)
        html += QStringLiteral("<tr><td>%1</td><td align=right>&nbsp;&nbsp;<b>%2</b></td></tr>")
                    .arg(label.toHtmlEscaped(), value.toHtmlEscaped());
    html += QStringLiteral("</table>");
    return below.isEmpty() ? html : html + QStringLiteral("<p>%1</p>").arg(below.toHtmlEscaped());
}

}  // namespace roofscope::gui
