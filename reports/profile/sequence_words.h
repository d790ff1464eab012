// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "reports/document/document.h"

/// Words for findings in the sequence of launches (Analysis::sequenceFindings), which belong to no
/// kernel's report.
namespace roofscope {

/// One sentence with numbers: "For 1.2 ms of 3.4 ms (35 %) no kernel runs, in …". Clean text.
[[nodiscard]] std::string sequenceSentence(const Finding& finding, Language language);
/// The same with the reason and the edit, in a few sentences.
[[nodiscard]] std::string sequenceWords(const Finding& finding, Language language);
/// The same as a part of a report.
[[nodiscard]] doc::Node sequenceNode(const Finding& finding, Language language);
/// All of them as markdown; empty if there are none.
[[nodiscard]] std::string sequenceMarkdown(const Analysis& analysis, Language language);

}  // namespace roofscope
