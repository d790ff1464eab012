// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/compare/program_comparison.h"
#include "reports/compare/words.h"
#include "reports/document/document.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// The opening of a comparison: the time of a window before and after, what moved, which promises
/// were kept, and which kernels replaced others. Empty without two programs.
[[nodiscard]] doc::Nodes programChangeNodes(const compare_words::View& view);

/// "Since the baseline: 69.6 ms → 12.3 ms, 5.66× faster.", or why the windows are not comparable.
[[nodiscard]] doc::Text sinceBaselineText(const ProgramComparison& program, Language language);

/// "program" of the JSON comparison; null for two kernels of one profile.
[[nodiscard]] json_parts::Json programChangeObject(const compare_words::View& view);
/// "groups" of the JSON comparison: groups of kernels that replaced others (fused, split).
[[nodiscard]] json_parts::Json exchangeObjects(const compare_words::View& view);

}  // namespace roofscope
