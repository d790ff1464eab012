// SPDX-License-Identifier: Apache-2.0
#pragma once

class QWidget;

namespace roofscope::gui {

/// Puts what takes the keyboard in `content` right behind `before` in the order of Tab. Qt puts
/// widgets that are made later behind all others of their window.
void orderTabsBehind(QWidget* before, QWidget* content);

/// What in `content`, or it itself, takes the keyboard first: a table, text or scroll area before
/// the fields above it. Null where nothing that is shown does.
[[nodiscard]] QWidget* firstToFocus(QWidget* content);

}  // namespace roofscope::gui
