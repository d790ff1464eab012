// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofscope {

/// What stands between two places where a line may end.
struct LinePiece {
    std::string text;
    bool room = false;  ///< a space stands before it
};

/// Cuts a text where a line may end: at spaces and, in Chinese, beside every character, except that
/// a line neither begins with closing punctuation nor ends with an opening bracket.
[[nodiscard]] std::vector<LinePiece> linePieces(std::string_view text);

}  // namespace roofscope
