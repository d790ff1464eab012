// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofscope::test {

inline bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// Like contains(), but for wrapped text: a line break counts as a space.
inline bool has(const std::string& text, const std::string& part) {
    std::string flat;
    for (const char c : text)
        if (const bool space = c == ' ' || c == '\n';
            !space || (!flat.empty() && flat.back() != ' '))
            flat += space ? ' ' : c;
    return flat.find(part) != std::string::npos;
}

/// Number of non-overlapping occurrences of `part`.
inline std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        ++found;
    return found;
}

}  // namespace roofscope::test
