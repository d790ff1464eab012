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
        Nothing,    ///< the program succeeded, but no launch was measured
        Failed,     ///< the program or roofscope failed
        NotStarted  ///< roofscope could not be started
    };
    Kind kind = Kind::Failed;
    bool written = false;  ///< this run wrote the profile
    QString output;        ///< path of the profile
    QString message;       ///< what happened, for the user
};

/// Interprets how `roofscope record` ended (docs/exit-codes.md). `crashed`: a signal ended
/// roofscope itself. `written`: this run wrote the profile. `note`: the last message of roofscope.
[[nodiscard]] RecordingOutcome judgeRecording(int exitCode, bool crashed, bool cancelled,
                                              bool written, const QString& note);

/// Interprets an exit code of ssh: the connection failed, or there is no roofscope on the host.
/// nullopt for other codes. Use it only if roofscope itself wrote no message.
[[nodiscard]] std::optional<QString> explainSshExit(const QString& host, int exitCode,
                                                    const QString& lastLine);

/// Runs `roofscope record` in the background, without a local shell. For another machine, runs it
/// through ssh and then fetches the profile.
class RecordingProcess : public QObject {
    Q_OBJECT
public:
    enum class State {
        Idle,
        Running,
        Fetching,      ///< copying the profile from the other machine
        Interrupting,  ///< was asked to stop, and is writing the profile
        Killing
    };
    explicit RecordingProcess(QObject* parent = nullptr);
    /// Interrupts a running recording, and kills it if it does not stop in time.
    ~RecordingProcess() override;

    void start(const RecordingCommand& command);
    /// The first call interrupts (SIGINT), so that the profile is written. The second call kills
    /// roofscope and the program.
    void cancel();
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool busy() const { return m_state != State::Idle; }
    [[nodiscard]] RecordingOutput& output() { return m_output; }

Q_SIGNALS:
    void stateChanged();
    /// output() has new text.
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
    Time m_before;   ///< modification time of a file that existed before
};

}  // namespace roofscope::gui
