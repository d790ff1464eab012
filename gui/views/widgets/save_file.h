// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include "profile/errors/result.h"

namespace roofscope::gui {

/// Writes a file completely or not at all. Errors: CannotCreate if it cannot be created, Io if
/// writing fails, for example on a full disk. An existing pipe or device is written to, not
/// replaced.
[[nodiscard]] Result<void> saveFile(const QString& path, const QByteArray& content);
/// The same for a picture in PNG format.
[[nodiscard]] Result<void> savePng(const QString& path, const QImage& picture);

}  // namespace roofscope::gui
