// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"

/// Names of the analyzer's terms in the reader's language, the same in every format.
namespace roofscope {

/// A resource in words: "shared pipe", "FP32 pipe".
[[nodiscard]] std::string resourceWords(ResourceId resource, Language language);
/// "FP32", "BF16 tensor".
[[nodiscard]] std::string arithmeticWords(const Arithmetic& arithmetic, Language language);
/// What limits occupancy: "shared memory"; empty for None.
[[nodiscard]] std::string limiterWords(OccupancyLimiter limiter, Language language);
/// "from the timing run".
[[nodiscard]] std::string durationSourceWords(DurationSource source, Language language);
/// "high".
[[nodiscard]] std::string confidenceWords(Confidence confidence, Language language);
/// Title of a rule; its id if this build does not know it.
[[nodiscard]] std::string ruleTitle(const std::string& ruleId, Language language);

}  // namespace roofscope
