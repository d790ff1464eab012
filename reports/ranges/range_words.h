// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "reports/document/text.h"

namespace roofscope {

/// What reports say of NVTX ranges that were measured as a whole: a sentence each, at most `most`.
/// What was not measured is a dash.
[[nodiscard]] std::vector<doc::Text> rangeSentences(const Analysis& analysis, Language language,
                                                    std::size_t most = 20);

/// The same for programs, all of them; null without any.
[[nodiscard]] nlohmann::ordered_json rangeObjects(const Analysis& analysis);

}  // namespace roofscope
