// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text/file_name.h"

#include <QStringConverter>
#include <algorithm>

namespace roofscope::gui {
namespace {

constexpr ushort kFirst = 0xDC80, kLast = 0xDCFF;

bool isByte(QChar c) { return c.unicode() >= kFirst && c.unicode() <= kLast; }

/// Length in bytes of the UTF-8 character at the start of `bytes`; 0 if it is invalid.
qsizetype characterLength(const QByteArray& bytes) {
    for (qsizetype length = 1; length <= std::min<qsizetype>(4, bytes.size()); ++length) {
        QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        const QString character = decode(bytes.left(length));
        if (!decode.hasError() && !character.contains(QChar::ReplacementCharacter)) return length;
    }
    return 0;
}

}  // namespace

QString fileName(const QByteArray& bytes) {
    QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString whole = decode(bytes);
    if (!decode.hasError()) return whole;
    QString name;
    for (qsizetype at = 0; at < bytes.size();) {
        const qsizetype length = characterLength(bytes.mid(at, 4));
        if (length > 0)
            name += QString::fromUtf8(bytes.mid(at, length));
        else
            name += QChar(ushort(0xDC00 + uchar(bytes[at])));
        at += std::max<qsizetype>(1, length);
    }
    return name;
}

bool isUtf8FileName(const QString& name) {
    return std::ranges::none_of(name, isByte) || fileBytes(name) == name.toUtf8();
}

QString absolutePath(const QString& name) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(filePath(name), error);
    return error ? name : fileName(QByteArray::fromStdString(path.lexically_normal().string()));
}

bool fileExists(const QString& name) {
    std::error_code error;
    return std::filesystem::exists(filePath(name), error);
}

QByteArray fileBytes(const QString& name) {
    if (std::ranges::none_of(name, isByte)) return name.toUtf8();
    QByteArray bytes;
    qsizetype from = 0;
    for (qsizetype at = 0; at <= name.size(); ++at) {
        // Not one of our bytes if it is the second half of a surrogate pair.
        const bool odd =
            at < name.size() && isByte(name[at]) && (at == 0 || !name[at - 1].isHighSurrogate());
        if (at < name.size() && !odd) continue;
        bytes += name.mid(from, at - from).toUtf8();
        if (odd) bytes += char(name[at].unicode() & 0xFF);
        from = at + 1;
    }
    return bytes;
}

}  // namespace roofscope::gui
