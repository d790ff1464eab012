// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace roofscope::gui {

/// Words that wrap, can be marked and copied, and are never read as markup. `name` is what the
/// style sheet knows them by.
[[nodiscard]] QLabel* plainLabel(const QString& text, const char* name = "");
/// The same for a heading, larger than text by `factor`.
[[nodiscard]] QLabel* plainHeading(const QString& text, const char* name, double factor = 1);
/// Code or a command, in a box.
[[nodiscard]] QLabel* codeLabel(const QString& text);

}  // namespace roofscope::gui
