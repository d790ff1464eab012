// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/model/analysis.h"
#include "reports/document/text.h"

/// How bounds are worded, from one place: what an edit of a finding can beat is never called "at
/// most".
namespace roofscope {

/// "at most 208 µs", of an estimate "about 208 µs".
[[nodiscard]] std::string boundWords(Seconds bound, bool estimate, Language language);
/// For tables and brackets: "≤ 208 µs", "≈ 208 µs".
[[nodiscard]] std::string boundMark(Seconds bound, bool estimate);
/// "at most 208 µs (63.3 %, 2.73×) per launch"; or why there is none.
[[nodiscard]] std::string gainWords(const Finding& finding, Language language);
/// Where a counter should go: "≤ 1.05 M", "≥ 48 %". What ends a scale stands alone: "0", "100 %".
[[nodiscard]] std::string targetWords(double from, double to, Unit unit);

/// Whether the same work could not be done faster, as far as three digits show.
[[nodiscard]] bool hasNoHeadroom(const Verdict& verdict);
/// What is left with the same work, as a sentence. Where nothing is left, it says that the kernel
/// is at its roof, or as short as a launch can be; where an edit brings more, nothing: the finding
/// says what.
[[nodiscard]] doc::Text headroomSentence(const KernelAnalysis& kernel, Language language);
/// "All edits together, without fusing or smaller data types: at most 208 µs per launch (2.7×).";
/// without a finding what the kernel's bytes and operations alone allow. Empty where that is no
/// more than what was said before.
[[nodiscard]] std::string jointSentence(const KernelAnalysis& kernel, Language language);

}  // namespace roofscope
