// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <filesystem>

namespace roofscope::gui {

/// Converts a file name to a QString and back without loss. On Linux a name need not be UTF-8, and
/// Qt would replace invalid bytes. Here each invalid byte becomes a lone surrogate (U+DC80 to
/// U+DCFF), as in Python; valid UTF-8 has none. For display, shownText() replaces them.
[[nodiscard]] QString fileName(const QByteArray& bytes);
[[nodiscard]] QByteArray fileBytes(const QString& name);
[[nodiscard]] inline std::filesystem::path filePath(const QString& name) {
    return fileBytes(name).toStdString();
}
/// Whether the name is valid UTF-8, so that Qt's file classes can handle it.
[[nodiscard]] bool isUtf8FileName(const QString& name);

/// Like QFileInfo's functions, but for all names.
[[nodiscard]] QString absolutePath(const QString& name);
[[nodiscard]] bool fileExists(const QString& name);

}  // namespace roofscope::gui
