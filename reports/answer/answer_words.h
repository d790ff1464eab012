// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/answer/kernel_answer.h"
#include "reports/document/text.h"

/// What is said of a kernel as a whole: one function for each piece, which every format uses.
namespace roofscope {

/// How a rule is called in a list of several.
enum class RuleName {
    Id,    ///< for an assistant, which can ask `roofscope rules show`
    Title  ///< for a person
};

/// What is left with the same work; empty where other words say it.
[[nodiscard]] doc::Text headroomSentence(const KernelAnswer& answer, Language language);
/// "All edits together, without fusing or smaller data types: at most 208 µs per launch (2.7×).";
/// without a finding what the kernel's bytes and operations alone allow. May be empty.
[[nodiscard]] doc::Text jointSentence(const KernelAnswer& answer, Language language);

/// "**Stop here:** no rule found a fault." Empty where there are findings.
[[nodiscard]] doc::Text nothingSentence(const std::optional<NothingToEdit>& nothing,
                                        Language language);
/// The same for a line or a cell: "stop here".
[[nodiscard]] std::string nothingLabel(const NothingToEdit& nothing, Language language);

// Findings that are only named; each may be empty.
[[nodiscard]] doc::Text furtherSentence(const KernelAnswer& answer, Language language);
[[nodiscard]] doc::Text minorSentence(const KernelAnswer& answer, Language language);
[[nodiscard]] doc::Text blockedSentence(const KernelAnswer& answer, Language language);

/// "**Neither found nor ruled out:** …."
[[nodiscard]] doc::Text undecidedSentence(const KernelAnswer& answer, RuleName name,
                                          Language language);
/// What was ruled out, for a list; for a person with the numbers that rule it out.
[[nodiscard]] std::vector<doc::Text> ruledOutWords(const KernelAnswer& answer, RuleName name,
                                                   Language language);
/// What was not measured, and what to do about it, for a list: "bank conflicts: record …".
/// `byProfile`: what the profile lacks of every kernel, too.
[[nodiscard]] std::vector<doc::Text> notMeasuredWords(const Analysis& analysis,
                                                      const KernelAnswer& answer, bool byProfile,
                                                      RuleName name, Language language);

}  // namespace roofscope
