// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text/shown_text.h"

#include <QStringList>
#include <algorithm>

#include "gui/models/text/file_name.h"
#include "reports/escape/escape.h"

namespace roofscope::gui {

QString shownText(std::string_view text, std::size_t most) {
    // Fast path: this is called for every visible cell in every frame and for every comparison of a
    // sort. Nearly all names are printable ASCII and need no cleaning.
    const bool plain = text.size() <= most &&
                       std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    if (plain) return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
    return QString::fromStdString(cleanText(text, most));
}

QString shownText(const QString& text, std::size_t most) {
    return shownText(std::string_view(fileBytes(text).toStdString()), most);
}

QString shownLines(const QString& lines) {
    QStringList shown = lines.split(QLatin1Char('\n'));
    for (QString& line : shown) line = shownText(line);
    return shown.join(QLatin1Char('\n'));
}

QString labelText(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

QString plainText(const doc::Text& text) { return shownText(text.plain()); }

QString plainText(const std::optional<doc::Text>& text) {
    return text ? plainText(*text) : QString();
}

}  // namespace roofscope::gui
