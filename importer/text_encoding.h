// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roofscope {

/// Converts a text to UTF-8. It may be UTF-16 (PowerShell's ">" writes that). Bytes that are not
/// valid UTF-8 are taken as Windows code page 1252. Characters that exist in neither become U+FFFD.
/// Nullopt if the text already is UTF-8.
[[nodiscard]] std::optional<std::string> convertedToUtf8(std::string_view bytes);

}  // namespace roofscope
