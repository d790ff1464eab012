// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "reports/language/wording.h"

namespace roofscope {

/// What reports say of the ranks of a parallel program: one sentence for all kernels and one for
/// each that is uneven, at most `most`. Empty when there are fewer than two ranks or none of it is
/// material. `quote` makes a name from the program fit for the format.
[[nodiscard]] std::vector<std::string> rankSentences(
    const Profile& profile, const std::function<std::string(const std::string&)>& quote,
    const Wording& wording, std::size_t most = 5);

/// The same for programs: {"count", "total", "kernels", "notes"}; null with fewer than two ranks.
[[nodiscard]] nlohmann::ordered_json rankObject(const Profile& profile);

}  // namespace roofscope
