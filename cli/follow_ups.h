// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analyzer/program/planner.h"
#include "collector/run/question.h"

/// Follow-up questions of `roofscope record --effort`: what the analyzer still needs
/// (planFollowUps), asked of the recording, which knows no rules.
namespace roofscope::cli {

struct FollowUpSettings {
    Effort effort = Effort::Auto;
    bool required = false;  ///< somebody asked for them (Question::required)
    std::uint32_t launchesPerKernel = 3;
    std::function<void(const std::string&)> say;  ///< progress, one line each; may be empty
};

/// What follow-up questions may take after a recording that took `soFar`; absent: as long as
/// needed. Effort::Auto: as long again, and 10 s at least, because a run of a short program is
/// mostly the set-up of its counters.
[[nodiscard]] std::optional<Seconds> followUpTime(Effort effort, Seconds soFar);

/// Asks what is open, one question at a time and most worth first, and looks again after each
/// answer, until nothing is open or the time is spent. Nothing is asked twice.
void askFollowUps(const RecordingInProgress& recording, const FollowUpSettings& settings);

}  // namespace roofscope::cli
