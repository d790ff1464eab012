// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "reports/plot/draw_list.h"

class QTextDocument;

namespace roofscope::gui {

/// Fills a document with a report in markdown and applies the program's style: spacing, table
/// borders, a background for code. HTML in the text is shown as text.
void setMarkdown(QTextDocument& document, const QString& markdown, plot::Theme theme);

}  // namespace roofscope::gui
