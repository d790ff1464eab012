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

/// The result of `roofscope doctor`, as far as it matters before a recording.
struct DoctorReport {
    struct Check {
        QString id, title, detail, advice;
        QStringList commands;  ///< fix the problem, in this order
        bool failed = false;   ///< false: a warning
    };
    bool countersReadable = false;
    std::vector<Check> checks;  ///< failures first, then warnings

    /// Why nothing can be recorded here, not even durations; empty if recording is possible.
    [[nodiscard]] QString obstacle() const;
    /// All checks with advice and commands, as plain text.
    [[nodiscard]] QString text() const;
};

/// Parses the output of `roofscope doctor --json`; nullopt if it is something else.
[[nodiscard]] std::optional<DoctorReport> parseDoctor(const QByteArray& json);

/// Runs `roofscope doctor --json` in the background, here or on another machine.
class RecordingDoctor : public QObject {
    Q_OBJECT
public:
    /// `patience`: doctor is killed if it takes longer.
    explicit RecordingDoctor(QObject* parent = nullptr,
                             std::chrono::milliseconds patience = std::chrono::minutes(3));
    ~RecordingDoctor() override;

    /// Starts a program that runs doctor: the local roofscope, or ssh for another machine. A doctor
    /// that still runs is killed and sends no checked().
    void start(const QString& program,
               const QStringList& arguments = {QStringLiteral("doctor"), QStringLiteral("--json")});
    /// Exit code and last line of stderr, to explain why there was no report.
    [[nodiscard]] int exitCode() const { return m_process.exitCode(); }
    [[nodiscard]] QString complaint() const;
    [[nodiscard]] bool busy() const { return m_process.state() != QProcess::NotRunning; }

Q_SIGNALS:
    /// The report; nullopt if doctor gave no valid answer.
    void checked(const std::optional<roofscope::gui::DoctorReport>& report);

private:
    QProcess m_process;
    QByteArray m_complaint;
    QTimer m_timer;
};

}  // namespace roofscope::gui
