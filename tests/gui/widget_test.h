// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>

namespace roofscope::test {

/// The QApplication that widgets need, created once. Settings go to a separate folder.
QApplication& widgetApp();

}  // namespace roofscope::test
