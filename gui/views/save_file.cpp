// SPDX-License-Identifier: Apache-2.0
#include "gui/views/save_file.h"

#include <QSaveFile>

namespace roofscope::gui {

Result<void> saveFile(const QString& path, const QByteArray& content) {
    QSaveFile file(path);
    // Pipes and devices cannot be replaced by a rename.
    file.setDirectWriteFallback(true);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size() || !file.commit())
        return Error{.code = ErrorCode::CannotCreate,
                     .what = "cannot write the file: " + file.errorString().toStdString(),
                     .where = path.toStdString(),
                     .advice = {}};
    return {};
}

}  // namespace roofscope::gui
