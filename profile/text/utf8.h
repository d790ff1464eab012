// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace roofscope::utf8 {

/// Decodes one code point at `at` and advances past it; nullopt (advancing by one byte) when the
/// bytes there are not valid UTF-8: overlong forms, surrogates and values past U+10FFFF are not.
[[nodiscard]] std::optional<char32_t> next(std::string_view text, std::size_t& at);
void append(std::string& out, char32_t codePoint);
/// Number of code points; an invalid byte counts as one.
[[nodiscard]] std::size_t length(std::string_view text);

/// True for characters that show nothing or change how others are shown: controls, direction
/// overrides, zero-width and tag characters, private use, noncharacters. By Unicode's own tables
/// (profile/unicode/make_hidden_ranges.py).
[[nodiscard]] bool isHidden(char32_t codePoint);
/// True for characters that take two columns in a terminal.
[[nodiscard]] bool isWide(char32_t codePoint);

}  // namespace roofscope::utf8
