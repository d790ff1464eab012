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
    bool required = false;                     ///< the user gave --effort (Question::required)
    WindowChoice window = WindowChoice::Auto;  ///< what the program is judged by
    std::uint32_t launchesPerKernel = 3;
    std::function<void(const std::string&)> say;  ///< progress, one line each; may be empty
};

/// How long follow-up questions may take after a recording that took `soFar`; absent: no limit.
///
/// Effort::Auto allows the same time again, but at least 12.5 s: in runs of a short program most of
/// the time is set-up of the counters. `slowRun` is given for a program that starts slowly: its
/// time without measurement. Then the recording with its questions may take 2.1 times as long; if
/// `slowRun` is less than 12.5 s, the questions get at least 12.5 s.
[[nodiscard]] std::optional<Seconds> followUpTime(Effort effort, Seconds soFar,
                                                  std::optional<Seconds> slowRun = {});

/// Asks one question at a time, the most valuable first, and plans again after each answer. Ends
/// when no question is open or the time is over. Never asks a question twice.
void askFollowUps(const RecordingInProgress& recording, const FollowUpSettings& settings);

}  // namespace roofscope::cli
