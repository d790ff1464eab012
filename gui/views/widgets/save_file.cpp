// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/save_file.h"

#include <QBuffer>

#include "gui/models/text/file_name.h"
#include "profile/files/output_file.h"

namespace roofscope::gui {

Result<void> saveFile(const QString& path, const QByteArray& content) {
    return writeFileAtomically(filePath(path),
                               {content.constData(), static_cast<std::size_t>(content.size())});
}

Result<void> savePng(const QString& path, const QImage& picture) {
    QByteArray png;
    QBuffer buffer(&png);
    buffer.open(QIODevice::WriteOnly);
    if (!picture.save(&buffer, "PNG"))
        return Error{.code = ErrorCode::CannotCreate,
                     .what = "the picture cannot be encoded",
                     .where = filePath(path).string()};
    return saveFile(path, png);
}

}  // namespace roofscope::gui
