// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QString>
#include <QXmlStreamReader>
#include <vector>

namespace roofscope::test {

/// One text of a Qt translation file.
struct TsText {
    QString context, source, translation;
    QString type;  ///< "unfinished", "vanished", "obsolete"; empty: finished and in use
    [[nodiscard]] bool finished() const { return type.isEmpty() && !translation.isEmpty(); }
};

/// Reads a translation file; on failure `error` says why.
inline std::vector<TsText> readTs(const QString& path, QString* error) {
    std::vector<TsText> texts;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        *error = path + QStringLiteral(": ") + file.errorString();
        return texts;
    }
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement()) continue;
        if (xml.name() == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (xml.name() == QLatin1String("message")) {
            texts.push_back({.context = context});
        } else if (xml.name() == QLatin1String("source")) {
            texts.back().source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            texts.back().type = xml.attributes().value(QLatin1String("type")).toString();
            texts.back().translation =
                xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
        }
    }
    if (xml.hasError()) *error = path + QStringLiteral(": ") + xml.errorString();
    return texts;
}

}  // namespace roofscope::test
