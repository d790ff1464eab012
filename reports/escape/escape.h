// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profile/text/clean_text.h"

/// Strings of the profiled program (kernel and range names, command lines, messages) are data.
/// Every renderer sends them through one of these functions, so that a name made of markup,
/// terminal codes or formulas changes nothing but itself. Lengths are counted in Unicode code
/// points. The base of all is cleanText().
namespace roofscope {

/// A markdown code span that the text cannot leave: the fence is longer than any run of backticks
/// inside. An empty text gives "`(no name)`".
[[nodiscard]] std::string markdownCode(std::string_view text, std::size_t maxLength = kMaxName);
/// The same inside a table, where "|" would end the cell even within a code span.
[[nodiscard]] std::string markdownCodeCell(std::string_view text, std::size_t maxLength = kMaxName);
/// Prose inside a paragraph: no emphasis, links, images, HTML, entities or automatic links arise.
/// It does not protect the first characters of a line; write something in front.
[[nodiscard]] std::string markdownText(std::string_view text, std::size_t maxLength = 600);

/// Text and attribute values of XML, SVG and HTML.
[[nodiscard]] std::string xmlText(std::string_view text, std::size_t maxLength = kMaxName);

/// A CSV field after RFC 4180. A text that a spreadsheet would run as a formula (=, +, -, @ in
/// front) gets a leading apostrophe.
[[nodiscard]] std::string csvField(std::string_view text, std::size_t maxLength = 2000);

/// A command line for a POSIX shell. Arguments are quoted when needed; bytes that must not be
/// printed are written in octal within $'...'. Empty when the result would exceed `maxLength`
/// bytes: half a command is worse than none.
[[nodiscard]] std::string shellCommand(const std::vector<std::string>& arguments,
                                       std::size_t maxLength = 2000);
[[nodiscard]] std::string shellArgument(std::string_view argument);

/// Columns that a clean text takes in a terminal (East Asian wide characters take two).
[[nodiscard]] std::size_t displayWidth(std::string_view text);
/// The text cut or padded with spaces to exactly `width` columns.
[[nodiscard]] std::string fitWidth(std::string_view text, std::size_t width, bool right = false);

}  // namespace roofscope
