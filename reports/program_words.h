// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language.h"
#include "analyzer/program/program.h"

/// A program's verdict and actions in clean words; writers escape them.
namespace roofscope {

/// "6 × step, 68.0 ms each (5 counted: the first loads code or warms up)".
[[nodiscard]] std::string windowWords(const Window& window, Language language);
/// "no kernel runs: after a synchronisation".
[[nodiscard]] std::string timeClassWords(TimeClass cls, Language language);
/// "Pageable copies", of a rule its title.
[[nodiscard]] std::string actionTitle(const Action& action, Language language);
/// What is wrong, with numbers; of a rule the sentence of the finding that brings most.
[[nodiscard]] std::string actionSentence(const Analysis& analysis, const Action& action,
                                         Language language);
[[nodiscard]] std::string actionEdit(const Analysis& analysis, const Action& action,
                                     Language language);

}  // namespace roofscope
