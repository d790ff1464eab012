// SPDX-License-Identifier: Apache-2.0
#include "gui/models/source/code_files.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

namespace roofscope::gui {
namespace {

constexpr qint64 kLargest = 16 << 20;  // of source code

bool isCode(const QString& path) {
    const QFileInfo info(path);
    return info.isFile() && info.isReadable() && info.size() <= kLargest;
}

}  // namespace

void CodeFiles::found(const QString& recorded, const QString& here) {
    qsizetype same = 0;  // length of the common end of both paths, in whole path components
    const qsizetype most = std::min(recorded.size(), here.size());
    for (qsizetype at = 1; at <= most; ++at) {
        const QChar letter = recorded[recorded.size() - at];
        if (letter != here[here.size() - at]) break;
        if (letter == u'/') same = at;
    }
    if (same == 0)
        m_roots[recorded] = here;  // the file names differ: map only this file
    else
        m_roots[recorded.chopped(same)] = here.chopped(same);
}

std::optional<QString> CodeFiles::find(const QString& recorded) const {
    for (const auto& [root, here] : m_roots) {
        if (!recorded.startsWith(root)) continue;
        const QString rest = recorded.mid(root.size());
        if (!rest.isEmpty() && rest.front() != u'/') continue;
        if (const QString path = here + rest; isCode(path)) return path;
    }
    if (QFileInfo(recorded).isAbsolute() && isCode(recorded)) return recorded;
    return std::nullopt;
}

std::optional<std::vector<std::string>> CodeFiles::lines(const QString& path) {
    QFile file(path);
    if (!isCode(path) || !file.open(QIODevice::ReadOnly)) return std::nullopt;
    std::vector<std::string> lines;
    for (const QByteArray& line : file.readAll().split('\n')) lines.push_back(line.toStdString());
    return lines;
}

}  // namespace roofscope::gui
