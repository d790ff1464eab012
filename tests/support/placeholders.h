// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace roofscope::test {

/// The arguments named in a phrase: "{a} of {b} {a?kernel:kernels}" → a, b (fillPhrase()).
inline std::set<std::string> placeholders(std::string_view phrase) {
    std::set<std::string> names;
    for (std::size_t at = phrase.find('{'); at != phrase.npos; at = phrase.find('{', at + 1)) {
        const std::string_view rest = phrase.substr(at + 1);
        names.emplace(rest.substr(0, rest.find_first_of("?}")));
    }
    return names;
}

}  // namespace roofscope::test
