// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofscope {

/// A piece of text that must not be broken.
struct LinePiece {
    std::string text;
    bool room = false;  ///< preceded by a space
};

/// Splits a text where a line may end: at spaces and, in Chinese, around every character, except
/// before closing punctuation and after an opening bracket.
[[nodiscard]] std::vector<LinePiece> linePieces(std::string_view text);

}  // namespace roofscope
