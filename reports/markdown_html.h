// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Turns the markdown that reports/markdown_*.cpp writes into HTML, so that both formats say the
/// same. Knows what is written there and nothing more: paragraphs, flat lists, headings, fences,
/// strong text, code spans, backslash escapes. No links, images or HTML can arise: whatever is not
/// one of these is escaped text.
namespace roofscope {

/// The inside of a paragraph.
[[nodiscard]] std::string markdownInlineToHtml(std::string_view markdown);
/// Whole blocks. A heading becomes a paragraph of class "heading".
[[nodiscard]] std::string markdownToHtml(std::string_view markdown);

}  // namespace roofscope
