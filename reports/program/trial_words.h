// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/program.h"
#include "profile/trials/trial_results.h"
#include "reports/document/text.h"

/// Words about the results of `roofscope try`.
namespace roofscope {

/// The trial of exactly this action's edit, if it helped: then its times replace the bound. Else
/// null.
[[nodiscard]] const TrialResult* trialOf(const Analysis& analysis, const Action& action);
/// "**tried, 44.2 → 27.9 ms per step** with `tf32` (printed numbers within 0.1 %)"
[[nodiscard]] doc::Text trialText(const TrialResult& trial, Language language);
/// The result of a trial: "Tried with `tf32`: 44.2 → 27.9 ms per step (results not compared).", or
/// "Tried in vain: `Allow TF32` (44.2 → 44.1 ms per step, within the noise)."
[[nodiscard]] doc::Text trialSentence(const TrialResult& trial, Language language);
/// Other trials that made the program faster: "Tried with `compile`: 44.2 → 30.1 ms per step
/// (results not compared)." Empty if there are none.
[[nodiscard]] doc::Text otherTrials(const Analysis& analysis, const Action& action,
                                    Language language);
/// "Tried in vain: `Allow TF32` (44.2 → 44.1 ms per step, within the noise)." Also names trials
/// that helped although no action of the program suggests them. Absent if there is nothing to say.
[[nodiscard]] std::optional<doc::Text> trialsSentence(const Analysis& analysis,
                                                      const Program& program, Language language);

}  // namespace roofscope
