// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>

namespace roofscope::test {

struct ProgramRun {
    int code = -1;
    QString out, error;
};

/// Runs a program until it ends (at most a minute). `environment`: "NAME=value", or "NAME" to
/// unset.
inline ProgramRun runProgram(const QString& program, const QStringList& arguments,
                             const QStringList& environment = {}) {
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    for (const QString& entry : environment) {
        const qsizetype equals = entry.indexOf(QLatin1Char('='));
        if (equals < 0) {
            variables.remove(entry);
        } else {
            variables.insert(entry.left(equals), entry.mid(equals + 1));
        }
    }
    QProcess process;
    process.setProcessEnvironment(variables);
    process.start(program, arguments);
    if (!process.waitForStarted() || !process.waitForFinished(60000)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            .out = QString::fromUtf8(process.readAllStandardOutput()),
            .error = QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace roofscope::test
