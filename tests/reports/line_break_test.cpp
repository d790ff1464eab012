// SPDX-License-Identifier: Apache-2.0
#include "reports/escape/line_break.h"

#include "reports/escape/terminal_text.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

/// The pieces, with "|" where a line may end and "_" for a space dropped at a line's end.
std::string cuts(std::string_view text) {
    std::string out;
    for (const LinePiece& piece : linePieces(text))
        out += (out.empty() ? "" : piece.room ? "_" : "|") + piece.text;
    return out;
}

}  // namespace

TEST_CASE("a line ends at a space, and in Chinese beside every character") {
    CHECK(cuts("no operations, not shown") == "no_operations,_not_shown");
    CHECK(cuts("3 个内核（FP32）、2 个") == "3_个|内|核|（FP32）、|2_个");
    CHECK(cuts("").empty());
    CHECK(cuts("  ") == "");
    CHECK(cuts(" a") == "a");
    // "算" would fit the first line, but "，" must not start the next.
    CHECK(wrappedLines("", "个内核没有运算，未显示", 0, 14) == "个内核没有运\n算，未显示\n");
}
