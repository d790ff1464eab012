// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/program/program.h"
#include "reports/document/text.h"

/// A program's verdict and actions in clean words, for reports and the window; writers escape them.
namespace roofscope {

/// "6 × step, 68.0 ms each (mean of 5; 1 warm-up left out)".
[[nodiscard]] std::string windowWords(const Window& window, Language language);
/// "Program: 6 × step, 68.0 ms each."
[[nodiscard]] doc::Text windowSentence(const Window& window, Language language);
/// "no kernel runs: after a synchronisation".
[[nodiscard]] std::string timeClassWords(TimeClass cls, Language language);
/// "Of that: copies, no kernel running 86 %, kernels 8.1 %, the rest 0.6 %."
/// At most `most` parts, the largest first.
[[nodiscard]] doc::Text accountSentence(const Account& account, Language language,
                                        std::size_t most = kTimeClasses.size());
/// Of how many GPUs the account is the mean; absent where it is of one.
[[nodiscard]] std::optional<doc::Text> meanSentence(const Program& program, Language language);
/// What stands beside the account: what overlapped, of how many GPUs it is the mean, communication
/// of each rank, what tracing added.
[[nodiscard]] std::vector<doc::Text> accountNotes(const Program& program, Language language);
/// What the GPU needs at least; absent when that is not known.
[[nodiscard]] std::optional<doc::Text> floorSentence(const Program& program, Language language);
/// What was not measured that would have to be, to say that nothing is left to do; absent where
/// enough was.
[[nodiscard]] std::optional<doc::Text> lackingSentence(const Program& program, Language language);
/// The largest kernel for which no action is known, with what is known of it; absent where none
/// takes far more than the actions can bring.
[[nodiscard]] std::optional<doc::Text> unansweredSentence(const Analysis& analysis,
                                                          const Program& program,
                                                          Language language);
/// That this is the place to stop, that no known edit is worth it, or that nobody can tell; absent
/// where one is.
[[nodiscard]] std::optional<doc::Text> stopSentence(const Program& program, Language language);
/// That faster kernels may change nothing; absent where the GPU does not wait for the CPU.
[[nodiscard]] std::optional<doc::Text> boundsSentence(const Program& program, Language language);

/// "Pageable copies", of a rule its title.
[[nodiscard]] std::string actionTitle(const Action& action, Language language);
/// "at most 40.0 ms of 68.0 ms"
[[nodiscard]] std::string actionBound(const Program& program, const Action& action,
                                      Language language);
/// How an action calls its kernels.
enum class KernelNames {
    InWords,  ///< `gelu` and 2 more
    ByNumber  ///< as a table of kernels counts them
};
/// "**Unfused kernel chain** in `gelu` and 2 more: at most 40.0 ms of 68.0 ms"
[[nodiscard]] doc::Text actionHeading(const Analysis& analysis, const Program& program,
                                      const Action& action, KernelNames names, Language language);
/// "**Unfused kernel chain** in no. 1 (about 2.64 ms)", where an action is only named.
[[nodiscard]] doc::Text actionMention(const Analysis& analysis, const Action& action,
                                      Language language);
/// "At `train.py:5 (step)`." Empty where no place is known.
[[nodiscard]] doc::Text placesSentence(const Action& action, std::size_t most, Language language);
/// "train.py:5 (step)"
[[nodiscard]] std::string siteWords(const ActionSite& site);
/// What is wrong, with numbers; of a rule the sentence of the finding that brings most.
[[nodiscard]] std::string actionSentence(const Analysis& analysis, const Action& action,
                                         Language language);
[[nodiscard]] std::string actionEdit(const Analysis& analysis, const Action& action,
                                     Language language);

}  // namespace roofscope
