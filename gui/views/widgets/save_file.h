// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include "profile/errors/result.h"

namespace roofscope::gui {

/// Writes a file as a whole or not at all. CannotCreate when it cannot be made, Io when writing
/// broke off, as it does on a full disk. What is there and is no file (a pipe, a device) is written
/// to, not replaced.
[[nodiscard]] Result<void> saveFile(const QString& path, const QByteArray& content);
/// The same with a picture, as PNG.
[[nodiscard]] Result<void> savePng(const QString& path, const QImage& picture);

}  // namespace roofscope::gui
