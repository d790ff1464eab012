// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/remote_recording.h"

#include <QRegularExpression>

#include "gui/models/recording/shell_words.h"
#include "gui/models/text/translated_texts.h"
#include "gui/models/text/usage_error.h"
#include "profile/files/find_program.h"

namespace roofscope::gui {
namespace {

constexpr int kConnectSeconds = 15;

/// Quotes a remote path. "~/" stays unquoted: only the remote shell knows the home folder.
QString remotePath(const QString& path) {
    if (!path.startsWith(QLatin1String("~/"))) return posixQuoted(path);
    return path.size() == 2 ? QStringLiteral("~/")
                            : QStringLiteral("~/") + posixQuoted(path.mid(2));
}

}  // namespace

Result<void> checkHost(const QString& host) {
    static const QRegularExpression name(QStringLiteral("\\A[A-Za-z0-9_][A-Za-z0-9_.@:%+-]*\\z"));
    if (name.match(host).hasMatch()) return {};
    return usageError(RecordingText::tr("enter a name for ssh: HOST or USER@HOST"),
                      RecordingText::tr("Machine"));
}

QString remoteLine(const RemoteProgram& program) {
    QStringList words;
    for (const auto& [name, value] : program.variables)
        words << name + QLatin1Char('=') + posixQuoted(value);
    for (qsizetype i = 0; i < program.words.size(); ++i)
        words << (i == program.program ? remotePath(program.words[i])
                                       : posixQuoted(program.words[i]));
    const QString line = words.join(QLatin1Char(' '));
    if (program.folder.isEmpty()) return line;
    return QStringLiteral("cd -- %1 && ").arg(remotePath(program.folder)) + line;
}

QStringList sshArguments(const QString& host, const QString& line, bool terminal) {
    QStringList arguments;
    if (terminal) arguments << QStringLiteral("-tt");
    return arguments << QStringLiteral("-o") << QStringLiteral("BatchMode=yes")
                     << QStringLiteral("-o")
                     << QStringLiteral("ConnectTimeout=%1").arg(kConnectSeconds)
                     << QStringLiteral("--") << host << line;
}

QString findSsh() { return QString::fromStdString(findProgram("ssh").string()); }

}  // namespace roofscope::gui
