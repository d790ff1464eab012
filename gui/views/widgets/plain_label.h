// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace roofscope::gui {

/// A label with plain text that wraps and can be selected with the mouse. `name`: object name for
/// the style sheet.
[[nodiscard]] QLabel* plainLabel(const QString& text, const char* name = "");
/// The same in bold, as a heading; its font is larger by `factor`.
[[nodiscard]] QLabel* plainHeading(const QString& text, const char* name, double factor = 1);
/// Code or a command, in a box.
[[nodiscard]] QLabel* codeLabel(const QString& text);
/// A word or number in one line, as plain text.
[[nodiscard]] QLabel* wordLabel(const QString& text, Qt::Alignment alignment = Qt::AlignVCenter);

}  // namespace roofscope::gui
