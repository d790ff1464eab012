// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/recording_process.h"

#include <QFile>
#include <map>

#include "gui/models/text/file_name.h"

#ifdef Q_OS_UNIX
#include <unistd.h>

#include <csignal>

#include "gui/models/text/translated_texts.h"
#include "profile/files/file_size_guard.h"
#endif

namespace roofscope::gui {
namespace {

constexpr int kPatienceMs = 3000;

/// Meaning of roofscope's own exit codes; empty for others.
QString meaning(int exitCode) {
    static const std::map<int, const char*> known{
        {64, QT_TRANSLATE_NOOP("Recording", "invalid command line")},
        {66, QT_TRANSLATE_NOOP("Recording", "an input is missing or cannot be opened")},
        {69, QT_TRANSLATE_NOOP("Recording", "something required is missing")},
        {70, QT_TRANSLATE_NOOP("Recording", "a defect in roofscope")},
        {73, QT_TRANSLATE_NOOP("Recording", "the profile cannot be created")},
        {74, QT_TRANSLATE_NOOP("Recording", "reading or writing failed")},
        {77, QT_TRANSLATE_NOOP("Recording", "access denied by the system")}};
    const auto found = known.find(exitCode);
    return found == known.end() ? QString() : RecordingText::tr(found->second);
}

/// The file name of a profile while it is being fetched.
QString partOf(const QString& path) { return path + QStringLiteral(".part"); }

}  // namespace

RecordingOutcome judgeRecording(int exitCode, bool crashed, bool cancelled, bool written,
                                const QString& note) {
    using Kind = RecordingOutcome::Kind;
    RecordingOutcome outcome{.kind = Kind::Failed, .written = written};
    const QString kept =
        written ? RecordingText::tr("The profile contains what was measured until then.")
                : RecordingText::tr("No profile was written.");
    if (cancelled) {
        outcome.kind = Kind::Cancelled;
        outcome.message = RecordingText::tr("The recording was cancelled. %1").arg(kept);
    } else if (crashed) {
        outcome.message = RecordingText::tr("A signal ended roofscope itself. %1").arg(kept);
    } else if (exitCode == 0 && written) {
        outcome.kind = Kind::Done;
        outcome.message = RecordingText::tr("Recorded.");
    } else if (exitCode == 0) {
        outcome.kind = Kind::Nothing;
        outcome.message = RecordingText::tr("The program succeeded, but no profile was written.");
    } else if (exitCode == 90) {
        outcome.kind = Kind::Partial;
        outcome.message = RecordingText::tr(
            "The program succeeded, but part of the measurement was lost; see the recording "
            "issues.");
    } else if (exitCode == 91) {
        outcome.kind = Kind::Nothing;
        outcome.message =
            RecordingText::tr("The program succeeded, but no CUDA launch was measured or timed.");
    } else if (const QString own = meaning(exitCode); !written && !own.isEmpty()) {
        outcome.message =
            RecordingText::tr("Nothing was recorded (exit code %1: %2).").arg(exitCode).arg(own);
    } else if (exitCode > 128 && exitCode < 128 + 65) {
        outcome.message =
            RecordingText::tr("Signal %1 ended the program. %2").arg(exitCode - 128).arg(kept);
    } else {
        outcome.message =
            RecordingText::tr("The program failed with exit code %1. %2").arg(exitCode).arg(kept);
    }
    if (outcome.kind == Kind::Failed && !note.isEmpty())
        outcome.message += QLatin1Char('\n') + note;
    return outcome;
}

std::optional<QString> explainSshExit(const QString& host, int exitCode, const QString& lastLine) {
    constexpr int kSshFailed = 255, kNoSuchCommand = 127;
    if (exitCode == kSshFailed)
        return RecordingText::tr("ssh cannot connect to %1: %2")
            .arg(host, lastLine.isEmpty() ? RecordingText::tr("no reason given") : lastLine);
    if (exitCode == kNoSuchCommand)
        return RecordingText::tr(
                   "roofscope is not in the PATH of ssh sessions on %1. Install it there; it is "
                   "not installed from here.")
            .arg(host);
    return std::nullopt;
}

RecordingProcess::RecordingProcess(QObject* parent) : QObject(parent) {
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    for (QProcess* process : {&m_process, &m_fetch}) {
#ifdef Q_OS_UNIX
        // A separate process group: killing it also ends the program, which may use the GPU.
        process->setChildProcessModifier([] {
            ::setpgid(0, 0);
            // SIGINT may be ignored if a script started this window in the background.
            ::signal(SIGINT, SIG_DFL);
            restoreFileSizeSignal();
        });
#endif
    }
    connect(&m_process, &QProcess::readyRead, this, &RecordingProcess::read);
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        end(code, status == QProcess::CrashExit);
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart || !busy()) return;
        setState(State::Idle);
        Q_EMIT finished({.kind = RecordingOutcome::Kind::NotStarted,
                         .output = m_path,
                         .message = RecordingText::tr("%1 cannot be started: %2")
                                        .arg(m_process.program(), m_process.errorString())});
    });
    connect(&m_fetch, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        endFetch(code, status == QProcess::CrashExit);
    });
    connect(&m_fetch, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart && m_state != State::Idle) endFetch(-1, true);
    });
}

RecordingProcess::~RecordingProcess() {
    for (QProcess* process : {&m_process, &m_fetch}) process->disconnect(this);
    if (m_fetch.state() != QProcess::NotRunning) {
        m_fetch.kill();
        m_fetch.waitForFinished(kPatienceMs);
        QFile::remove(partOf(m_path));
    }
    if (m_process.state() == QProcess::NotRunning) return;
    interrupt();
    if (m_process.waitForFinished(kPatienceMs)) return;
    kill();
    m_process.waitForFinished(kPatienceMs);
}

RecordingProcess::Time RecordingProcess::modified(const QString& path) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(filePath(path), error);
    return error ? Time() : Time(time);
}

void RecordingProcess::start(const RecordingCommand& command) {
    if (busy()) return;
    m_output = {};
    m_command = command;
    m_cancelled = false;
    m_path = command.output;
    m_before = modified(m_path);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : command.variables) environment.insert(name, value);
    m_process.setProcessEnvironment(environment);
    m_process.setWorkingDirectory(command.folder);
    setState(State::Running);
    if (remote()) {
        // The input of ssh goes to the remote terminal, so that we can send Ctrl-C.
        m_process.setStandardInputFile({});
        m_process.start(command.executable, command.arguments, QIODevice::ReadWrite);
    } else {
        m_process.setStandardInputFile(QProcess::nullDevice());
        m_process.start(command.executable, command.arguments, QIODevice::ReadOnly);
    }
}

void RecordingProcess::cancel() {
    if (m_state == State::Running) {
        m_cancelled = true;
        setState(State::Interrupting);
        interrupt();
    } else if (m_state == State::Interrupting) {
        setState(State::Killing);
        kill();
    } else if (m_state == State::Fetching) {
        m_cancelled = true;
        m_fetch.kill();
    }
}

void RecordingProcess::interrupt() {
    if (remote()) {
        constexpr char kCtrlC = 3;
        m_process.write(&kCtrlC, 1);
        return;
    }
#ifdef Q_OS_UNIX
    // Only to roofscope: it forwards the signal to the program and writes the profile.
    if (m_process.processId() > 0) ::kill(static_cast<pid_t>(m_process.processId()), SIGINT);
#else
    m_process.terminate();
#endif
}

void RecordingProcess::kill() {
#ifdef Q_OS_UNIX
    if (m_process.processId() > 0) ::kill(-static_cast<pid_t>(m_process.processId()), SIGKILL);
#endif
    m_process.kill();
}

void RecordingProcess::setState(State state) {
    m_state = state;
    Q_EMIT stateChanged();
}

void RecordingProcess::read() {
    m_output.add(m_process.readAll());
    Q_EMIT outputAdded();
}

void RecordingProcess::end(int exitCode, bool crashed) {
    m_output.add(m_process.readAll());
    m_output.finish();
    Q_EMIT outputAdded();
    m_exitCode = exitCode;
    m_crashed = crashed;
    if (remote()) return fetch();
    const Time now = modified(m_path);
    // An unchanged file is an older profile, not from this run.
    judge(now && now != m_before);
}

/// Fetches the profile, even after a failure: part of it may have been measured. Not if the
/// recording never started or was killed.
void RecordingProcess::fetch() {
    const bool begun = m_cancelled || !m_output.lastNote().isEmpty() || !sshFailed();
    if (!begun || m_state == State::Killing) return judge(false);
    setState(State::Fetching);
    m_fetch.setStandardInputFile(QProcess::nullDevice());
    m_fetch.setStandardOutputFile(partOf(m_path));
    m_fetch.start(m_command.executable, m_command.remote.fetch, QIODevice::ReadOnly);
}

void RecordingProcess::endFetch(int exitCode, bool crashed) {
    const std::filesystem::path part = filePath(partOf(m_path));
    std::error_code error;
    const bool whole = exitCode == 0 && !crashed && std::filesystem::file_size(part, error) > 0;
    if (whole && !error) std::filesystem::rename(part, filePath(m_path), error);
    const bool written = whole && !error;
    if (!written) std::filesystem::remove(part, error);
    m_output.add(m_fetch.readAllStandardError());
    m_output.finish();
    Q_EMIT outputAdded();
    judge(written);
}

bool RecordingProcess::sshFailed() const {
    return explainSshExit(m_command.remote.host, m_exitCode, {}).has_value();
}

void RecordingProcess::judge(bool written) {
    const RemoteRecording& there = m_command.remote;
    RecordingOutcome outcome =
        judgeRecording(m_exitCode, m_crashed, m_cancelled, written, m_output.lastNote());
    outcome.output = m_path;
    const bool silent = remote() && m_output.lastNote().isEmpty() && !m_cancelled && !m_crashed;
    const auto complaint = explainSshExit(there.host, m_exitCode, m_output.lastLine());
    if (silent && complaint) {
        outcome.kind = RecordingOutcome::Kind::NotStarted;
        outcome.message = *complaint;
    } else if (remote() && written) {
        outcome.message +=
            QLatin1Char('\n') +
            RecordingText::tr("On %1 the profile stays as %2.").arg(there.host, there.file);
    } else if (remote()) {
        outcome.message +=
            QLatin1Char('\n') + RecordingText::tr("The profile could not be fetched from %1: %2")
                                    .arg(there.host, m_output.lastLine());
    }
    setState(State::Idle);
    Q_EMIT finished(outcome);
}

}  // namespace roofscope::gui
