// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analyzer/program/planner.h"
#include "collector/run/options/question.h"

/// Follow-up questions of `roofscope record --effort`: asks the analyzer what it still needs
/// (planFollowUps), then the recording, which knows nothing about rules, to measure it.
namespace roofscope::cli {

struct FollowUpSettings {
    Effort effort = Effort::Auto;
    bool required = false;  ///< the user gave --effort (Question::required)
    /// the part of the run by which the program is judged
    WindowChoice window = WindowChoice::Auto;
    std::uint32_t launchesPerKernel = 3;
    std::function<void(const std::string&)> say;  ///< progress, one line each; may be empty
};

/// How long follow-up questions may take after a recording that took `soFar`; absent: no limit.
/// `plainRun` is the program's time without measurement.
///
/// With Effort::Auto, recording and questions together may take 2.1 times the program's time. The
/// questions get at least 6 s. If the program starts slowly, they get at least 12.5 s, or no
/// minimum if it takes longer than that.
[[nodiscard]] std::optional<Seconds> followUpTime(Effort effort, Seconds soFar, Seconds plainRun,
                                                  bool startsSlowly);

/// The program's loop as it was recorded. Without one, or where rounds are judged together: a loop
/// without a repeat if tracing took less than kHardlyIdle of the time, or else nullopt.
[[nodiscard]] std::optional<JudgedLoop> judgedLoopOf(const Profile& profile, WindowChoice window);

/// Asks one question at a time, the most valuable first, and plans again after each answer. Ends
/// when no question is open or the time is up. Never asks a question twice.
void askFollowUps(const RecordingInProgress& recording, const FollowUpSettings& settings);

}  // namespace roofscope::cli
