// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/compare/program_comparison.h"
#include "reports/compare/words.h"
#include "reports/document/document.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// What a comparison opens with: the time of a window before and after, what moved, which promises
/// were kept, and kernels that others took the place of. Empty without two programs.
[[nodiscard]] doc::Nodes programChangeNodes(const compare_words::View& view);

/// "Since the baseline: 69.6 ms → 12.3 ms, 5.66× faster." Empty where windows are not comparable.
[[nodiscard]] doc::Text sinceBaselineText(const ProgramComparison& program, Language language);

/// "program" of the JSON comparison; null for two kernels of one profile.
[[nodiscard]] json_parts::Json programChangeObject(const compare_words::View& view);
/// "groups" of the JSON comparison: kernels matched many to one.
[[nodiscard]] json_parts::Json exchangeObjects(const compare_words::View& view);

}  // namespace roofscope
