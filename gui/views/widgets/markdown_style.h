// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "reports/plot/draw_list.h"

class QTextDocument;

namespace roofscope::gui {

/// Fills a document with a report in markdown and gives it the program's looks: spacing, ruled
/// tables, code on its own ground. HTML in the text stays text.
void setMarkdown(QTextDocument& document, const QString& markdown, plot::Theme theme);

}  // namespace roofscope::gui
