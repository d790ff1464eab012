// SPDX-License-Identifier: Apache-2.0
#include "reports/escape/terminal_text.h"

#include "reports/escape/escape.h"
#include "reports/escape/line_break.h"

namespace roofscope {

std::string painted(std::string_view code, std::string_view text, bool colour) {
    if (!colour) return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::string wrappedLines(std::string_view first, std::string_view text, std::size_t indent,
                         std::size_t width) {
    std::string lines, line(first);
    bool empty = true;
    for (const LinePiece& piece : linePieces(text)) {
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
