// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/source/source_analysis.h"

/// Why warps wait where they were sampled waiting.
namespace roofscope {

/// Where most warps wait in a state ("long_scoreboard"), most samples first: at most three
/// instructions, each with at least a twentieth of them. Empty without samples or SASS.
[[nodiscard]] std::vector<Wait> findWaits(const Profile& profile, const LaunchGroup& group,
                                          const SourceAnalysis& source, const std::string& state);

/// Where most of the time in a state is spent, and for which instruction, as part of a sentence:
/// "83 % of that at FADD at line 31, for the result of LDG at line 27, 1 load in flight per warp,
/// about 410 cycles each time". Empty if not known.
[[nodiscard]] Words waitWords(const SourcePass& pass, const SourceAnalysis& source,
                              const Wait& wait);

/// What to change so that such a wait ends sooner; empty if there is only advice for the whole
/// state.
/// `busiest`: share of the busiest resource, 0 to 1.
[[nodiscard]] Words waitEdit(const SourcePass& pass, const Wait& wait, double busiest);

}  // namespace roofscope
