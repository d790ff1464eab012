// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <optional>

#include "analyzer/program/program.h"
#include "gui/models/recording/recording_request.h"

namespace roofscope::gui {

/// What a recording left open, and the recording of the same program that answers it. `path` is
/// that of the profile: the new one goes beside it.
struct OpenQuestions {
    QStringList questions;  ///< most worth first; clean, plain text
    RecordingRequest recording;
};

/// Of the program: what `roofscope record --effort deep` would still ask. Nothing when that is
/// nothing.
[[nodiscard]] std::optional<OpenQuestions> openQuestions(const Analysis& analysis,
                                                         const Program& program,
                                                         const QString& path);

/// Of one kernel, an index into Analysis::kernels: what its rules lacked. The recording reads
/// counters of this kernel alone. Nothing where no recording would say more.
[[nodiscard]] std::optional<OpenQuestions> openQuestions(const Analysis& analysis,
                                                         std::size_t kernel, const QString& path);

/// The recording that the next command of a report makes, once a line was edited.
[[nodiscard]] RecordingRequest recordingAfterEdit(const Analysis& analysis, const QString& path);

}  // namespace roofscope::gui
