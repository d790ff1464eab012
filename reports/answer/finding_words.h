// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/answer/kernel_answer.h"
#include "reports/document/text.h"

/// The words about a finding: one function per piece, used by every format. Texts hold no control
/// characters; documents and the window escape them. An estimate, which an edit can beat, is never
/// called "at most".
namespace roofscope {

/// "at most 208 µs"; for an estimate "about 208 µs".
[[nodiscard]] std::string boundWords(Seconds bound, bool estimate, Language language);
/// For tables and brackets: "≤ 208 µs", "≈ 208 µs".
[[nodiscard]] std::string boundMark(Seconds bound, bool estimate);
/// The same for a share: "≤ 12 %".
[[nodiscard]] std::string boundMark(Ratio share, bool estimate);
/// "3.15×"; empty above 20×, where little but the cost of a launch would be left and the factor
/// misleads.
[[nodiscard]] std::string speedupText(double factor);
/// Where a counter should go: "≤ 1.05 M", "≥ 48 %". The end of a scale has no sign: "0", "100 %".
[[nodiscard]] std::string targetWords(double from, double to, Unit unit);

/// A rule's phrase with its arguments filled in. The result is capped: an argument can be a long
/// list of names.
[[nodiscard]] doc::Text ruleProse(std::string_view phrase, std::span<const Arg> args,
                                  Language language);

/// "Bank conflicts in shared memory".
[[nodiscard]] std::string findingTitle(const Finding& finding, Language language);
/// "at most 208 µs (63.3 %, 2.73×) per launch", or why no gain is known.
[[nodiscard]] std::string gainWords(const Finding& finding, Language language);
/// "at most 208 µs per window" of the program, else "at most 208 µs over all launches"; empty if
/// neither is known.
[[nodiscard]] std::string savingWords(const Finding& finding, std::optional<Seconds> perWindow,
                                      std::optional<Seconds> recorded, Language language);
/// "Bank conflicts in shared memory (≤ 208 µs)", for findings that are only mentioned.
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
/// What to change, without the leading "Edit:".
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
