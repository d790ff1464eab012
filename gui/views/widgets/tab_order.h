// SPDX-License-Identifier: Apache-2.0
#pragma once

class QLayout;
class QScrollArea;
class QWidget;

namespace roofscope::gui {

/// Puts what takes the keyboard in `content` right behind `before` in the order of Tab. Qt puts
/// widgets that are made later behind all others of their window.
void orderTabsBehind(QWidget* before, QWidget* content);
/// Shows other content in an area, with its place in the order of Tab. A button of the old one may
/// be what called this.
void replaceContent(QScrollArea* area, QLayout* content);

/// What in `content`, or it itself, takes the keyboard first: a table, text or scroll area before
/// the fields above it. Null where nothing that is shown does.
[[nodiscard]] QWidget* firstToFocus(QWidget* content);

}  // namespace roofscope::gui
