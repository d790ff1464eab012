// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analyzer/program/planner.h"
#include "collector/run/options/question.h"

/// Follow-up questions of `roofscope record --effort`: asks the analyzer what it still needs
/// (planFollowUps), and the recording, which knows no rules, to read it.
namespace roofscope::cli {

struct FollowUpSettings {
    Effort effort = Effort::Auto;
    bool required = false;  ///< the user asked for them (Question::required)
    std::uint32_t launchesPerKernel = 3;
    std::function<void(const std::string&)> say;  ///< progress, one line each; may be empty
};

/// How long follow-up questions may take after a recording that took `soFar`; absent: no limit.
/// Effort::Auto: as long again, and at least 10 s, because a run of a short program is mostly
/// set-up of the counters. Of a program that starts slowly, `slowRun` is how long it takes alone:
/// the recording with its questions then takes 2.1 times as long, or at least 10 s more if that is
/// less than 10 s.
[[nodiscard]] std::optional<Seconds> followUpTime(Effort effort, Seconds soFar,
                                                  std::optional<Seconds> slowRun = {});

/// Asks one question at a time, the most valuable first, and plans again after each answer, until
/// nothing is open or the time is over. Nothing is asked twice.
void askFollowUps(const RecordingInProgress& recording, const FollowUpSettings& settings);

}  // namespace roofscope::cli
