// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/language/words.h"
#include "profile/model/profile.h"
#include "reports/document/text.h"

namespace roofscope {

/// What reports say of the ranks of a parallel program: one sentence for all kernels and one for
/// each that is uneven, at most `most`. Empty when there are fewer than two ranks or none of it is
/// material. `unevenSaid`: the reader was told already which rank the others wait for.
[[nodiscard]] std::vector<doc::Text> rankSentences(const Profile& profile, Language language,
                                                   std::size_t most = 5, bool unevenSaid = false);

/// The same for programs: {"count", "total", "kernels", "notes"}; null with fewer than two ranks.
[[nodiscard]] nlohmann::ordered_json rankObject(const Profile& profile);

}  // namespace roofscope
