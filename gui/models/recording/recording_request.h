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

/// What the Record dialog asks for, as typed.
struct RecordingRequest {
    QString program;
    QString arguments;    ///< words and quotes as in a shell; nothing is expanded
    QString folder;       ///< working folder of the program; empty: ours
    QString environment;  ///< one NAME=value per line
    QStringList groups{QStringLiteral("default")};
    QString kernel;         ///< regular expression on kernel names; empty: all
    int sourceTop = 0;      ///< kernels measured per instruction; 0: none
    int timingRepeats = 1;  ///< runs without counters
    QString output;         ///< profile to write; empty: proposedOutput()
    QString effort;         ///< of follow-up questions: "quick", "auto", "deep"; empty: unsaid
    QString options;        ///< further ones of `roofscope record`, as in a shell
    /// Another machine that records, as ssh knows it: program, folder and environment are there,
    /// the profile comes here. Empty: this one.
    QString host;
    QString mark;     ///< gives the file on that machine a name that none has there
    QString purpose;  ///< what the recording is to find out, for a person; may be empty
};

/// One run of `roofscope record`, ready to be started without a shell.
struct RecordingCommand {
    QString executable;  ///< of roofscope
    QStringList arguments;
    QString folder;                                ///< absolute
    QList<std::pair<QString, QString>> variables;  ///< in addition to ours
    QString output;                                ///< absolute
    RemoteRecording remote = {};                   ///< when `executable` is ssh

    /// The same as a line for a POSIX shell, to be copied.
    [[nodiscard]] QString text() const;
    /// For a terminal on another machine: without this one's paths of roofscope, folder and output.
    /// What goes through ssh is the same anywhere.
    [[nodiscard]] QString textElsewhere() const;
};

/// A group of counters that can be asked for.
struct RecordingGroup {
    QString name;
    QString explanation;
    int passes = 0;  ///< at most, of all chips, when it is read alone; 0: not stated
};
/// All groups that some chip has, "default" first; explained in the language that is shown.
[[nodiscard]] std::vector<RecordingGroup> recordingGroups();

/// Makes the command. An error says which field is wrong. `roofscope`: that of this machine.
[[nodiscard]] Result<RecordingCommand> recordingCommand(const RecordingRequest& request,
                                                        const QString& roofscope);

/// What records the program of a profile again as it was recorded, with further counter groups: for
/// the form. Imported profiles know the program, not its arguments.
[[nodiscard]] RecordingRequest recordingAgain(const Profile& profile, const QString& profilePath,
                                              const QStringList& moreGroups);

/// PROGRAM.roofscope.json in the working folder, numbered when that exists.
[[nodiscard]] QString proposedOutput(const RecordingRequest& request);

/// The roofscope that records: beside this program, else in PATH; empty when there is none.
[[nodiscard]] QString findRoofscope();

}  // namespace roofscope::gui
