// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/shell_words.h"

#include <QRegularExpression>
#include <map>
#include <optional>

#include "gui/models/text/translated_texts.h"
#include "gui/models/text/usage_error.h"

namespace roofscope::gui {
namespace {

/// Decodes the escape after a backslash in $'…'. Moves `at` past it.
QByteArray escaped(const QString& line, qsizetype& at) {
    static const std::map<char, char> kLetters{{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'a', '\a'},
                                               {'b', '\b'}, {'f', '\f'}, {'v', '\v'}, {'e', 27}};
    const auto isOctal = [&](qsizetype i) {
        return i < line.size() && line[i] >= QLatin1Char('0') && line[i] <= QLatin1Char('7');
    };
    if (isOctal(at)) {
        int value = 0;
        for (int digits = 0; digits < 3 && isOctal(at); ++digits)
            value = value * 8 + line[at++].digitValue();
        return QByteArray(1, char(value));
    }
    const auto letter = kLetters.find(line[at].toLatin1());
    if (letter != kLetters.end()) {
        ++at;
        return QByteArray(1, letter->second);
    }
    return QString(line[at++]).toUtf8();
}

/// Decodes the text between $' and '. `at` is its start and moves past the closing quote. nullopt
/// if that is missing.
std::optional<QString> dollarQuoted(const QString& line, qsizetype& at) {
    QByteArray bytes;
    qsizetype plain = at;
    for (; at < line.size(); plain = at) {
        while (at < line.size() && line[at] != QLatin1Char('\'') && line[at] != QLatin1Char('\\'))
            ++at;
        bytes += line.mid(plain, at - plain).toUtf8();
        if (at == line.size()) break;
        if (line[at++] == QLatin1Char('\'')) return QString::fromUtf8(bytes);
        if (at < line.size()) bytes += escaped(line, at);
    }
    return std::nullopt;
}

}  // namespace

Result<QStringList> splitWords(const QString& line) {
    QStringList words;
    QString word;
    QChar quote;  // null outside of quotes
    bool begun = false;
    const auto notClosed = [](const QString& which) {
        return usageError(RecordingText::tr("the quote %1 is not closed").arg(which));
    };
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        const bool single = quote == QLatin1Char('\'');
        if (c == QLatin1Char('\\') && !single && i + 1 < line.size() &&
            (quote.isNull() || QStringLiteral("\\\"$`").contains(line[i + 1]))) {
            word += line[++i];
            begun = true;
        } else if (quote.isNull() && line.mid(i, 2) == QLatin1String("$'")) {
            i += 2;
            const std::optional<QString> part = dollarQuoted(line, i);
            if (!part) return notClosed(QStringLiteral("$'"));
            --i;  // the loop increments it again
            word += *part;
            begun = true;
        } else if (!quote.isNull()) {
            if (c == quote)
                quote = QChar();
            else
                word += c;
        } else if (c == QLatin1Char('\'') || c == QLatin1Char('"')) {
            quote = c;
            begun = true;
        } else if (c.isSpace()) {
            if (begun) words << word;
            word.clear();
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (!quote.isNull()) return notClosed(quote);
    if (begun) words << word;
    return words;
}

QString posixQuoted(const QString& word) {
    static const QRegularExpression safe(
        QStringLiteral("\\A[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*\\z"));
    if (safe.match(word).hasMatch()) return word;
    return QLatin1Char('\'') + QString(word).replace(QLatin1Char('\''), QLatin1String("'\\''")) +
           QLatin1Char('\'');
}

}  // namespace roofscope::gui
