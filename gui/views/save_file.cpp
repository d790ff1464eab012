// SPDX-License-Identifier: Apache-2.0
#include "gui/views/save_file.h"

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace roofscope::gui {
namespace {

Error failed(ErrorCode code, const QString& path, const QString& why) {
    return Error{
        .code = code, .what = "cannot write: " + why.toStdString(), .where = path.toStdString()};
}

/// Unbuffered, so that a write that breaks off says why: what fails in a later flush is an "Unknown
/// error" to Qt.
constexpr QIODevice::OpenMode kMode = QIODevice::WriteOnly | QIODevice::Unbuffered;

Result<void> writeTo(QFileDevice& file, const QString& path, const QByteArray& content) {
    if (!file.open(kMode))
        return failed(
            file.error() == QFileDevice::ResourceError ? ErrorCode::Io : ErrorCode::CannotCreate,
            path, file.errorString());
    qint64 written = 0;
    while (written < content.size()) {
        const qint64 count = file.write(content.constData() + written, content.size() - written);
        if (count <= 0) return failed(ErrorCode::Io, path, file.errorString());
        written += count;
    }
    return {};
}

}  // namespace

Result<void> saveFile(const QString& path, const QByteArray& content) {
    const QFileInfo there(path);
    if (there.exists() && !there.isFile() && !there.isDir()) {
        // A pipe or a device cannot be replaced by a rename.
        QFile file(path);
        return writeTo(file, path, content);
    }
    QSaveFile file(path);
    if (const Result<void> written = writeTo(file, path, content); !written) {
        file.cancelWriting();
        return written.error();
    }
    if (!file.commit())
        return failed(
            file.error() == QFileDevice::RenameError ? ErrorCode::CannotCreate : ErrorCode::Io,
            path, file.errorString());
    return {};
}

Result<void> savePng(const QString& path, const QImage& picture) {
    QByteArray png;
    QBuffer buffer(&png);
    buffer.open(QIODevice::WriteOnly);
    if (!picture.save(&buffer, "PNG"))
        return Error{.code = ErrorCode::CannotCreate,
                     .what = "the picture cannot be encoded",
                     .where = path.toStdString()};
    return saveFile(path, png);
}

}  // namespace roofscope::gui
