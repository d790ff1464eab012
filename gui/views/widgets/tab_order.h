// SPDX-License-Identifier: Apache-2.0
#pragma once

class QLayout;
class QScrollArea;
class QWidget;

namespace roofscope::gui {

/// Puts the focusable widgets in `content` right after `before` in the tab order. By default Qt
/// puts widgets that are created later at the end of their window's tab order.
void insertInTabOrderAfter(QWidget* before, QWidget* content);
/// Replaces the content of a scroll area and keeps its place in the tab order. A button in the old
/// content may call this, so the old content is deleted later.
void replaceContent(QScrollArea* area, QLayout* content);

/// The widget that should get the keyboard focus: `content` itself, else a table, text or scroll
/// area in it, else another field. Null if no visible one takes the focus.
[[nodiscard]] QWidget* firstFocusableWidget(QWidget* content);

}  // namespace roofscope::gui
