// SPDX-License-Identifier: Apache-2.0
#include "reports/terminal_text.h"

#include <vector>

#include "reports/escape.h"
#include "reports/utf8.h"

namespace roofscope {

std::string painted(std::string_view code, std::string_view text, bool colour) {
    if (!colour) return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

namespace {

/// What stands between two places where a line may end.
struct Piece {
    std::string text;
    bool room = false;  ///< a space stands before it
};

std::vector<Piece> piecesOf(std::string_view text) {
    constexpr std::u32string_view kClosing = U"，。；：、）？！”", kOpening = U"（“";
    const auto in = [](std::u32string_view set, char32_t c) {
        return set.find(c) != std::u32string_view::npos;
    };
    std::vector<Piece> pieces;
    char32_t before = U' ';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        const char32_t c = utf8::next(text, at).value_or(U'?');
        const bool breaks = before == U' ' || ((utf8::isWide(before) || utf8::isWide(c)) &&
                                               !in(kClosing, c) && !in(kOpening, before));
        if (c != U' ') {
            if (breaks) pieces.push_back({.text = {}, .room = before == U' '});
            pieces.back().text += text.substr(start, at - start);
        }
        before = c;
    }
    return pieces;
}

}  // namespace

std::string wrappedLines(std::string_view first, std::string_view text, std::size_t indent,
                         std::size_t width) {
    std::string lines, line(first);
    bool empty = true;
    for (const Piece& piece : piecesOf(text)) {
        const std::size_t room = piece.room ? 1 : 0;
        if (!empty && displayWidth(line) + room + displayWidth(piece.text) > width) {
            lines += line + "\n";
            line.assign(indent, ' ');
            empty = true;
        }
        if (!empty && piece.room) line += ' ';
        line += piece.text;
        empty = false;
    }
    return lines + line + "\n";
}

}  // namespace roofscope
