// SPDX-License-Identifier: Apache-2.0
#include "reports/document/clean_lines.h"

#include <algorithm>

#include "profile/text/clean_text.h"

namespace roofscope::doc {

std::string cleanLines(std::string_view lines) {
    constexpr std::size_t kMostOfLine = 2000;
    std::string clean;
    for (std::size_t from = 0; from < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', from), lines.size());
        clean += cleanText(lines.substr(from, end - from), kMostOfLine) + "\n";
        from = end + 1;
    }
    return clean;
}

}  // namespace roofscope::doc
