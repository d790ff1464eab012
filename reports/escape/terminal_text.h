// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Terminal lines, shared by the text reports of a profile, a comparison and a gate.
namespace roofscope {

/// `text` in the colour of an SGR code ("31" is red) if `colour` is set.
[[nodiscard]] std::string painted(std::string_view code, std::string_view text, bool colour);

/// `first` and `text`, wrapped at linePieces() to at most `width` columns; continuation lines are
/// indented. A longer word gets its own line. Ends with a newline.
[[nodiscard]] std::string wrappedLines(std::string_view first, std::string_view text,
                                       std::size_t indent, std::size_t width);

}  // namespace roofscope
