// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "reports/document/text.h"

namespace roofscope {

/// One sentence per NVTX range that was measured as a whole, at most `most`. A dash means not
/// measured.
[[nodiscard]] std::vector<doc::Text> rangeSentences(const Analysis& analysis, Language language,
                                                    std::size_t most = 20);

/// The same as JSON, for all ranges; null if there are none.
[[nodiscard]] nlohmann::ordered_json rangeObjects(const Analysis& analysis);

}  // namespace roofscope
