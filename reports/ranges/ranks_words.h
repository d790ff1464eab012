// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/language/words.h"
#include "profile/model/profile.h"
#include "reports/document/text.h"

namespace roofscope {

/// Sentences about the ranks of a parallel program: one for all kernels and one for each uneven
/// kernel, at most `most`. Empty with fewer than two ranks or if no difference is material.
/// `unevenAlreadySaid`: the reader already knows which rank the others wait for.
[[nodiscard]] std::vector<doc::Text> rankSentences(const Profile& profile, Language language,
                                                   std::size_t most = 5,
                                                   bool unevenAlreadySaid = false);

/// The same as JSON: {"count", "total", "kernels", "notes"}; null with fewer than two ranks.
[[nodiscard]] nlohmann::ordered_json rankObject(const Profile& profile);

}  // namespace roofscope
