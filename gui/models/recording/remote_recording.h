// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <utility>

#include "profile/errors/result.h"

/// Recordings on another machine, through the ssh of this one: nothing is installed there, and no
/// password is asked for (BatchMode). What runs there is one line for a POSIX shell.
namespace roofscope::gui {

/// The part of a recording's command that only one on another machine has.
struct RemoteRecording {
    QString host;       ///< empty: it runs here
    QString file;       ///< name of the profile there, in the working folder
    QStringList fetch;  ///< arguments of ssh: writes the profile to its output
};

/// What is to be run on another machine.
struct RemoteProgram {
    QString folder;                                ///< empty: where ssh begins; "~/…" is there
    QList<std::pair<QString, QString>> variables;  ///< names must be names
    QStringList words;                             ///< "~/…" in the program's place is there, too
    qsizetype program = -1;                        ///< its place in `words`
};

/// Refuses what is no name of a machine, among it what ssh would take for an option.
[[nodiscard]] Result<void> checkHost(const QString& host);

/// The line that a shell runs on the other machine.
[[nodiscard]] QString remoteLine(const RemoteProgram& program);

/// Arguments of ssh that run a line on `host`. `terminal`: with one, so that Ctrl-C reaches it.
[[nodiscard]] QStringList sshArguments(const QString& host, const QString& line, bool terminal);

/// ssh in PATH; empty when there is none.
[[nodiscard]] QString findSsh();

}  // namespace roofscope::gui
