// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "gui/models/shown_text.h"

namespace roofscope::gui {

/// A tooltip that Qt does not take for rich text, whatever is in it; its lines stay as they are.
[[nodiscard]] inline QString plainTip(const QString& text) {
    return text.isEmpty() ? text
                          : QStringLiteral("<p style='white-space:pre'>%1</p>")
                                .arg(shownLines(text).toHtmlEscaped());
}

}  // namespace roofscope::gui
