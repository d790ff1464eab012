// SPDX-License-Identifier: Apache-2.0
#include "reports/escape/line_break.h"

#include "profile/text/utf8.h"

namespace roofscope {

std::vector<LinePiece> linePieces(std::string_view text) {
    constexpr std::u32string_view kClosing =
                                      U"\uFF0C\u3002\uFF1B\uFF1A\u3001\uFF09\uFF1F\uFF01\u201D",
                                  kOpening = U"\uFF08\u201C";
    const auto in = [](std::u32string_view set, char32_t c) {
        return set.find(c) != std::u32string_view::npos;
    };
    std::vector<LinePiece> pieces;
    char32_t before = U' ';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        const char32_t c = utf8::next(text, at).value_or(U'?');
        const bool breaks = before == U' ' || ((utf8::isWide(before) || utf8::isWide(c)) &&
                                               !in(kClosing, c) && !in(kOpening, before));
        if (c != U' ') {
            if (breaks) pieces.push_back({.room = before == U' '});
            pieces.back().text += text.substr(start, at - start);
        }
        before = c;
    }
    return pieces;
}

}  // namespace roofscope
