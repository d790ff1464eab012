// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <optional>
#include <vector>

namespace roofscope::gui {

/// What `roofscope doctor` says of this machine, as far as it matters before a recording.
struct DoctorReport {
    struct Check {
        QString id, title, detail, advice;
        QStringList commands;  ///< mend it, one after the other
        bool failed = false;   ///< else a warning
    };
    bool countersReadable = false;
    std::vector<Check> checks;  ///< those that failed, then those that warn

    /// Why nothing can be recorded here, not even durations; empty when something can.
    [[nodiscard]] QString obstacle() const;
    /// All checks with advice and commands, as plain text.
    [[nodiscard]] QString text() const;
};

/// Reads the output of `roofscope doctor --json`; nullopt when it is none.
[[nodiscard]] std::optional<DoctorReport> parseDoctor(const QByteArray& json);

/// Runs `roofscope doctor --json` in the background, here or on another machine.
class RecordingDoctor : public QObject {
    Q_OBJECT
public:
    /// `patience`: a doctor that takes longer is ended.
    explicit RecordingDoctor(QObject* parent = nullptr,
                             std::chrono::milliseconds patience = std::chrono::minutes(3));
    ~RecordingDoctor() override;

    /// Asks a roofscope of this machine, or what runs it on another. One that is asked already is
    /// not heard any more.
    void start(const QString& program,
               const QStringList& arguments = {QStringLiteral("doctor"), QStringLiteral("--json")});
    /// How it ended, when there was no report: its exit code and the last line of its complaint.
    [[nodiscard]] int exitCode() const { return m_process.exitCode(); }
    [[nodiscard]] QString complaint() const;
    [[nodiscard]] bool busy() const { return m_process.state() != QProcess::NotRunning; }

Q_SIGNALS:
    /// The report; nullopt when doctor did not answer as it should.
    void checked(const std::optional<roofscope::gui::DoctorReport>& report);

private:
    QProcess m_process;
    QByteArray m_complaint;
    QTimer m_timer;
};

}  // namespace roofscope::gui
