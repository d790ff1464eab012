// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "reports/answer/kernel_answer.h"
#include "reports/document/text.h"

/// What is said of a finding: one function for each piece, which every format uses. Texts are
/// clean; documents and the window escape them. An edit that a finding's bound can be beaten by is
/// never called "at most".
namespace roofscope {

/// "at most 208 µs", of an estimate "about 208 µs".
[[nodiscard]] std::string boundWords(Seconds bound, bool estimate, Language language);
/// For tables and brackets: "≤ 208 µs", "≈ 208 µs".
[[nodiscard]] std::string boundMark(Seconds bound, bool estimate);
/// Where a counter should go: "≤ 1.05 M", "≥ 48 %". What ends a scale stands alone: "0", "100 %".
[[nodiscard]] std::string targetWords(double from, double to, Unit unit);

/// A rule's phrase with its arguments: a list of names can be an argument, so that the whole is
/// capped.
[[nodiscard]] doc::Text ruleProse(std::string_view phrase, std::span<const Arg> args,
                                  Language language);

/// "Bank conflicts in shared memory".
[[nodiscard]] std::string findingTitle(const Finding& finding, Language language);
/// "at most 208 µs (63.3 %, 2.73×) per launch"; or why there is none.
[[nodiscard]] std::string gainWords(const Finding& finding, Language language);
/// "Bank conflicts in shared memory (≤ 208 µs)", where a finding is only named.
[[nodiscard]] doc::Text findingMention(const Finding& finding, Language language);

/// What is wrong, with numbers.
[[nodiscard]] doc::Text faultSentence(const AnsweredFinding& finding, Language language);
/// Why that costs time.
[[nodiscard]] doc::Text mechanismSentence(const AnsweredFinding& finding, Language language);
/// "The edit of finding 1 mends this, too."
[[nodiscard]] doc::Text causeSentence(const AnsweredFinding& finding, Language language);
/// "Where: `softmax.cu:42` (`LDG.E`): 98 % of the excess sectors."; `brief` as for placeText().
[[nodiscard]] doc::Text whereSentence(const AnsweredFinding& finding, Language language,
                                      std::size_t most = kMostPlaces, bool brief = false);
/// What to change, without a word before it.
[[nodiscard]] doc::Text editWords(const AnsweredFinding& finding, Language language);
/// "**Edit:** Pad the row …"
[[nodiscard]] doc::Text editSentence(const doc::Text& edit, Language language);
/// Lines of code with the comments "before" and "after".
[[nodiscard]] std::string codeOfEdit(const CodeLines& lines, Language language);
/// "L2 sectors: **1.2 M** (healthy 0.3 M)".
[[nodiscard]] doc::Text evidenceWords(const Evidence& evidence, Language language);
/// "Evidence: …; …."
[[nodiscard]] doc::Text evidenceSentence(const AnsweredFinding& finding, Language language);
/// "`smsp__inst_executed.sum` from 12 M to ≤ 3 M".
[[nodiscard]] doc::Text movementWords(const ExpectedMovement& movement, Language language);
/// "After the edit expect … from … to …."
[[nodiscard]] doc::Text expectSentence(const AnsweredFinding& finding, Language language,
                                       std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace roofscope
