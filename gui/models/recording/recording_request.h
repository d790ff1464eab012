// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <utility>
#include <vector>

#include "gui/models/recording/remote_recording.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::gui {

/// The input of the Record dialog, as typed.
struct RecordingRequest {
    QString program;
    QString arguments;    ///< words and quotes as in a shell, without expansion
    QString folder;       ///< working folder of the program; empty: the current folder
    QString environment;  ///< one NAME=value per line
    QStringList groups{QStringLiteral("default")};
    QString kernel;         ///< regular expression on kernel names; empty: all
    int sourceTop = 0;      ///< kernels measured per instruction; 0: none
    int timingRepeats = 1;  ///< runs without counters
    QString output;         ///< profile to write; empty: proposedOutput()
    QString effort;         ///< --effort: "quick", "auto" or "deep"; empty: do not pass it
    QString options;        ///< further options of `roofscope record`, as in a shell
    /// Host name for ssh, to record on another machine. Program, folder and environment are those
    /// of that machine; the profile is copied here. Empty: record on this machine.
    QString host;
    QString mark;     ///< makes the file name on that machine unique
    QString purpose;  ///< what the recording should find out, for the user; may be empty
};

/// One run of `roofscope record`, ready to be started without a shell.
struct RecordingCommand {
    QString executable;  ///< roofscope, or ssh for a remote recording
    QStringList arguments;
    QString folder;                                ///< absolute
    QList<std::pair<QString, QString>> variables;  ///< in addition to our environment
    QString output;                                ///< absolute path of the profile
    RemoteRecording remote = {};                   ///< if `executable` is ssh

    /// The command as a line for a POSIX shell, for the clipboard.
    [[nodiscard]] QString text() const;
    /// The same, for a terminal on another machine: without local paths of roofscope, folder and
    /// output. A command through ssh stays as it is.
    [[nodiscard]] QString textForOtherMachine() const;
};

/// A counter group that can be recorded.
struct RecordingGroup {
    QString name;
    QString explanation;
    int passes = 0;  ///< maximum over all chips, if recorded alone; 0: unknown
};
/// The groups of all chips, "default" first; explained in the window's language.
[[nodiscard]] std::vector<RecordingGroup> recordingGroups();

/// Builds the command. An error names the wrong field. `roofscope`: path of the local roofscope.
[[nodiscard]] Result<RecordingCommand> recordingCommand(const RecordingRequest& request,
                                                        const QString& roofscope);

/// A request that records a profile's program again in the same way, with additional counter
/// groups. Imported profiles give the program, but not its arguments.
[[nodiscard]] RecordingRequest requestToRepeat(const Profile& profile, const QString& profilePath,
                                               const QStringList& moreGroups);

/// PROGRAM.roofscope.json in the working folder, with a number if that exists.
[[nodiscard]] QString proposedOutput(const RecordingRequest& request);

/// Path of roofscope: beside this program, else in PATH; empty if not found.
[[nodiscard]] QString findRoofscope();

}  // namespace roofscope::gui
