// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Lines for a terminal: what the text reports of a profile, a comparison and a gate share.
namespace roofscope {

/// `text` in the colour of an SGR code ("31" is red) when `colour` says so.
[[nodiscard]] std::string painted(std::string_view code, std::string_view text, bool colour);

/// `first` and the words of `text`, broken at spaces into lines of at most `width` columns; further
/// lines are indented. A word that is longer stands alone. Ends with a line end.
[[nodiscard]] std::string wrappedLines(std::string_view first, std::string_view text,
                                       std::size_t indent, std::size_t width);

}  // namespace roofscope
