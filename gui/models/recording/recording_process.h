// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QProcess>
#include <filesystem>
#include <optional>

#include "gui/models/recording/recording_output.h"
#include "gui/models/recording/recording_request.h"

namespace roofscope::gui {

/// How a recording ended.
struct RecordingOutcome {
    enum class Kind {
        Done,       ///< everything was measured
        Partial,    ///< part of the measurement was lost
        Cancelled,  ///< by the user
        Nothing,    ///< the program succeeded without a launch that was measured
        Failed,     ///< the program or roofscope failed
        NotStarted  ///< roofscope could not be started
    };
    Kind kind = Kind::Failed;
    bool written = false;  ///< this run wrote the profile
    QString output;        ///< path of the profile
    QString message;       ///< what happened, for a person
};

/// What the end of `roofscope record` means (docs/exit-codes.md). `signal`: what ended roofscope
/// itself, if one did. `note`: the last thing it said.
[[nodiscard]] RecordingOutcome judgeRecording(int exitCode, bool crashed, bool cancelled,
                                              bool written, const QString& note);

/// What ssh's own end means: that it did not get there, or that there is no roofscope. Nothing
/// where roofscope said something itself.
[[nodiscard]] std::optional<QString> sshComplaint(const QString& host, int exitCode,
                                                  const QString& lastLine);

/// Runs `roofscope record` beside the window, without a shell of this machine; on another machine
/// through ssh, and fetches the profile then.
class RecordingProcess : public QObject {
    Q_OBJECT
public:
    enum class State {
        Idle,
        Running,
        Fetching,      ///< the profile comes from the other machine
        Interrupting,  ///< was asked to end; what was measured will be written
        Killing
    };
    explicit RecordingProcess(QObject* parent = nullptr);
    /// A recording that is still going on is interrupted, and killed when that takes long.
    ~RecordingProcess() override;

    void start(const RecordingCommand& command);
    /// First interrupts (SIGINT), so that the profile is written; called again it kills roofscope
    /// and the program.
    void cancel();
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool busy() const { return m_state != State::Idle; }
    [[nodiscard]] RecordingOutput& output() { return m_output; }

Q_SIGNALS:
    void stateChanged();
    /// output() has something new.
    void outputAdded();
    void finished(const roofscope::gui::RecordingOutcome& outcome);

private:
    using Time = std::optional<std::filesystem::file_time_type>;
    [[nodiscard]] static Time modified(const QString& path);
    void setState(State state);
    void read();
    void end(int exitCode, bool crashed);
    void fetch();
    void endFetch(int exitCode, bool crashed);
    void judge(bool written);
    [[nodiscard]] bool remote() const { return !m_command.remote.host.isEmpty(); }
    [[nodiscard]] bool sshFailed() const;
    void interrupt();
    void kill();

    QProcess m_process;
    RecordingOutput m_output;
    State m_state = State::Idle;
    QProcess m_fetch;
    RecordingCommand m_command;
    int m_exitCode = 0;
    bool m_crashed = false, m_cancelled = false;
    QString m_path;  ///< of the profile
    Time m_before;   ///< of a profile that was there already
};

}  // namespace roofscope::gui
