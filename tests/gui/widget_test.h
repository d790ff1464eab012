// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>

namespace roofscope::test {

/// The application that widgets need; made once. Settings go to a folder of their own.
QApplication& widgetApp();

}  // namespace roofscope::test
