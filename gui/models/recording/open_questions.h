// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <optional>

#include "analyzer/program/program.h"
#include "gui/models/recording/recording_request.h"

namespace roofscope::gui {

/// What a recording left open, and a new recording of the same program that would answer it. The
/// functions take the profile's `path`: the new profile is written beside it.
struct OpenQuestions {
    QStringList questions;  ///< most valuable first; plain text without control characters
    RecordingRequest recording;
};

/// Open questions about the program: what `roofscope record --effort deep` would still find out.
/// nullopt if there are none.
[[nodiscard]] std::optional<OpenQuestions> openQuestions(const Analysis& analysis,
                                                         const Program& program,
                                                         const QString& path);

/// Open questions about one kernel (an index into Analysis::kernels): what its rules lacked. The
/// recording reads counters of this kernel only. nullopt if a recording would not help.
[[nodiscard]] std::optional<OpenQuestions> openQuestions(const Analysis& analysis,
                                                         std::size_t kernel, const QString& path);

/// The recording to make after an edit, the same as in a report's next command.
[[nodiscard]] RecordingRequest recordingAfterEdit(const Analysis& analysis, const QString& path);

}  // namespace roofscope::gui
