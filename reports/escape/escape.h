// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profile/text/clean_text.h"

/// Escapes strings of the profiled program (kernel and range names, command lines, messages): they
/// are data. Every renderer passes them through one of these functions, so that a name made of
/// markup, terminal codes or formulas affects nothing but itself. Lengths count Unicode code
/// points. All functions first apply cleanText().
namespace roofscope {

/// A markdown code span that its text cannot end: the fence is longer than any run of backticks
/// inside. An empty text gives "`(no name)`".
[[nodiscard]] std::string markdownCode(std::string_view text, std::size_t maxLength = kMaxName);
/// The same for table cells, where "|" would end the cell even within a code span.
[[nodiscard]] std::string markdownCodeCell(std::string_view text, std::size_t maxLength = kMaxName);
/// Prose inside a paragraph, without emphasis, links, images, HTML, entities or automatic links.
/// Does not protect the first character of a line; put something before it.
[[nodiscard]] std::string markdownText(std::string_view text, std::size_t maxLength = 600);

/// Escapes text and attribute values for XML, SVG and HTML.
[[nodiscard]] std::string xmlText(std::string_view text, std::size_t maxLength = kMaxName);

/// A CSV field (RFC 4180). A text that a spreadsheet would run as a formula (starting with =, +, -
/// or @) gets a leading apostrophe.
[[nodiscard]] std::string csvField(std::string_view text, std::size_t maxLength = 2000);

/// A command line for a shell. Arguments are quoted if needed; bytes that must not be printed
/// become octal escapes in $'...'. Empty if longer than `maxLength` bytes: half a command is worse
/// than none.
[[nodiscard]] std::string shellCommand(const std::vector<std::string>& arguments,
                                       std::size_t maxLength = 2000);
[[nodiscard]] std::string shellArgument(std::string_view argument);

/// Columns that a clean text takes in a terminal (East Asian wide characters take two).
[[nodiscard]] std::size_t displayWidth(std::string_view text);
/// The text cut or padded with spaces to exactly `width` columns.
[[nodiscard]] std::string fitWidth(std::string_view text, std::size_t width, bool right = false);

}  // namespace roofscope
