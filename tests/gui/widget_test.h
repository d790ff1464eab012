// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <QKeySequence>

namespace roofscope::test {

/// The QApplication that widgets need, created once. Settings go to a separate folder.
QApplication& widgetApp();

/// Triggers the window's action with this shortcut.
void trigger(const QWidget& window, const QKeySequence& keys);

}  // namespace roofscope::test
