// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <utility>

#include "profile/errors/result.h"

/// Recordings on another machine, through ssh. Nothing is installed there, and no password is asked
/// for (BatchMode). The remote command is one line for a POSIX shell.
namespace roofscope::gui {

/// The additional parts of a recording command for another machine.
struct RemoteRecording {
    QString host;       ///< empty: record on this machine
    QString file;       ///< name of the profile there, in the working folder
    QStringList fetch;  ///< arguments of ssh that write the profile to stdout
};

/// A command for another machine. "~/…" means the home folder there.
struct RemoteProgram {
    QString folder;                                ///< empty: where ssh starts; may be "~/…"
    QList<std::pair<QString, QString>> variables;  ///< names must be valid identifiers
    QStringList words;                             ///< the program, too, may be "~/…"
    qsizetype program = -1;                        ///< index of the program in `words`
};

/// Refuses invalid host names, including those that ssh would take for an option.
[[nodiscard]] Result<void> checkHost(const QString& host);

/// The line that a shell runs on the other machine.
[[nodiscard]] QString remoteLine(const RemoteProgram& program);

/// Arguments of ssh to run a line on `host`. `terminal`: allocate a terminal, so that Ctrl-C works.
[[nodiscard]] QStringList sshArguments(const QString& host, const QString& line, bool terminal);

/// Path of ssh in PATH; empty if not found.
[[nodiscard]] QString findSsh();

}  // namespace roofscope::gui
