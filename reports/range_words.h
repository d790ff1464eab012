// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/analysis.h"
#include "reports/language/wording.h"

namespace roofscope {

/// What reports say of NVTX ranges that were measured as a whole: a sentence each, at most `most`.
/// What was not measured is a dash. `quote` makes a name from the program fit for the format.
[[nodiscard]] std::vector<std::string> rangeSentences(
    const Analysis& analysis, const std::function<std::string(const std::string&)>& quote,
    const Wording& wording, std::size_t most = 20);

/// The same for programs, all of them; null without any.
[[nodiscard]] nlohmann::ordered_json rangeObjects(const Analysis& analysis);

}  // namespace roofscope
