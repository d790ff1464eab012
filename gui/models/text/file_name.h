// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <filesystem>

namespace roofscope::gui {

/// A file's name as a QString and back, whatever bytes it has. A name on Linux need not be UTF-8,
/// and Qt would replace what is not: each such byte becomes a lone surrogate (U+DC80 to U+DCFF), as
/// Python does it, which no other name has. On screen shownText() replaces it.
[[nodiscard]] QString fileName(const QByteArray& bytes);
[[nodiscard]] QByteArray fileBytes(const QString& name);
[[nodiscard]] inline std::filesystem::path filePath(const QString& name) {
    return fileBytes(name).toStdString();
}
/// Whether Qt's own classes for files can be given this name: whether it is UTF-8.
[[nodiscard]] bool isPlainName(const QString& name);

/// As those of QFileInfo, for every name.
[[nodiscard]] QString absolutePath(const QString& name);
[[nodiscard]] bool fileExists(const QString& name);

}  // namespace roofscope::gui
