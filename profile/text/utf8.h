// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace roofscope::utf8 {

/// Decodes the code point at `at` and advances past it. If the bytes are not valid UTF-8 (which
/// excludes overlong forms, surrogates and values past U+10FFFF), returns nullopt and advances by
/// one byte.
[[nodiscard]] std::optional<char32_t> next(std::string_view text, std::size_t& at);
void append(std::string& out, char32_t codePoint);
/// Number of code points; an invalid byte counts as one.
[[nodiscard]] std::size_t length(std::string_view text);

/// Whether a character is invisible or changes how others are shown: controls, direction overrides,
/// zero-width and tag characters, private use, noncharacters. From Unicode's own tables
/// (profile/unicode/make_hidden_ranges.py).
[[nodiscard]] bool isHidden(char32_t codePoint);
/// Whether a character takes two columns in a terminal.
[[nodiscard]] bool isWide(char32_t codePoint);

}  // namespace roofscope::utf8
