// SPDX-License-Identifier: Apache-2.0
#include "reports/terminal_text.h"

#include <algorithm>

#include "reports/escape.h"

namespace roofscope {

std::string painted(std::string_view code, std::string_view text, bool colour) {
    if (!colour) return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::string wrappedLines(std::string_view first, std::string_view text, std::size_t indent,
                         std::size_t width) {
    std::string lines, line(first);
    bool empty = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        at = end + 1;
        if (word.empty()) continue;
        if (!empty && displayWidth(line) + 1 + displayWidth(word) > width) {
            lines += line + "\n";
            line.assign(indent, ' ');
            empty = true;
        }
        if (!empty) line += ' ';
        line += word;
        empty = false;
    }
    return lines + line + "\n";
}

}  // namespace roofscope
