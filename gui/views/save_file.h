// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>

#include "profile/result.h"

namespace roofscope::gui {

/// Writes a file as a whole or not at all.
[[nodiscard]] Result<void> saveFile(const QString& path, const QByteArray& content);

}  // namespace roofscope::gui
