// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Lines for a terminal: what the text reports of a profile, a comparison and a gate share.
namespace roofscope {

/// `text` in the colour of an SGR code ("31" is red) when `colour` says so.
[[nodiscard]] std::string painted(std::string_view code, std::string_view text, bool colour);

/// `first` and `text`, broken into lines of at most `width` columns; further lines are indented. A
/// line may end at a space and, in Chinese, beside every character, except that it neither begins
/// with closing punctuation nor ends with an opening bracket. A word that is longer stands alone.
/// Ends with a line end.
[[nodiscard]] std::string wrappedLines(std::string_view first, std::string_view text,
                                       std::size_t indent, std::size_t width);

}  // namespace roofscope
