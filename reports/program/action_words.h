// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/program/program.h"
#include "reports/document/text.h"

/// Words for a program's actions, for reports and the window. They hold no control characters;
/// writers escape them.
namespace roofscope {

/// "Pageable copies", or the rule's title.
[[nodiscard]] std::string actionTitle(const Action& action, Language language);
/// "at most 40.0 ms of 68.0 ms"
[[nodiscard]] std::string actionBound(const Program& program, const Action& action,
                                      Language language);
/// What the action saves: its bound, or if exactly this edit was tried, what the trial measured.
[[nodiscard]] doc::Text actionGain(const Analysis& analysis, const Program& program,
                                   const Action& action, Language language);
/// How a text names an action's kernels.
enum class KernelNames {
    InWords,  ///< `gelu` and 2 more
    ByNumber  ///< by their number in the kernel table
};
/// "**Unfused kernel chain** in `gelu` and 2 more: at most 40.0 ms of 68.0 ms"
[[nodiscard]] doc::Text actionHeading(const Analysis& analysis, const Program& program,
                                      const Action& action, KernelNames names, Language language);
/// "Unfused kernel chain in no. 1 (about 2.64 ms)", for actions that are only mentioned.
[[nodiscard]] doc::Text actionMention(const Analysis& analysis, const Action& action,
                                      Language language);
/// "At `train.py:5 (step)`." Empty if no place is known.
[[nodiscard]] doc::Text placesSentence(const Action& action, std::size_t most, Language language);
/// What a thread waits for: "waits for another thread"; empty: it runs.
[[nodiscard]] std::string waitWords(CpuWait wait, Language language);
/// "`CalcTimeConstraintsForElems` lulesh.cu:2214 81 %": what the CPU did, with its share.
[[nodiscard]] doc::Text hostFunctionText(const HostFunction& function, Language language);
/// "`CalcTimeConstraintsForElems` lulesh.cu:2214 4": with its number of `samples`, for so few that
/// a share would be misleading.
[[nodiscard]] doc::Text hostFunctionText(const HostFunction& function, double samples,
                                         Language language);
/// "Of 32.3 ms: `CalcTimeConstraintsForElems` lulesh.cu:2214 81 %, `LagrangeLeapFrog` 9 %." Empty
/// if the CPU was not sampled.
[[nodiscard]] doc::Text hostSentence(const Action& action, Language language);
/// Says, once for all actions, how to get lines instead of functions. Empty if every place in
/// compiled code has its line.
[[nodiscard]] doc::Text noLinesSentence(const Analysis& analysis, const Program& program,
                                        Language language);
/// "train.py:5 (step)"
[[nodiscard]] std::string siteWords(const ActionSite& site);
/// What is wrong, with numbers; for a rule the sentence of the finding with the largest gain.
[[nodiscard]] std::string actionSentence(const Analysis& analysis, const Action& action,
                                         Language language);
[[nodiscard]] std::string actionEdit(const Analysis& analysis, const Action& action,
                                     Language language);

}  // namespace roofscope
