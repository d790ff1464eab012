// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roofscope {

/// A text as UTF-8 if it is in UTF-16 (as PowerShell's ">" writes) or has bytes that are not UTF-8,
/// which are then taken as Windows' code page 1252. Nullopt if it is UTF-8 already. Characters
/// that neither has become U+FFFD.
[[nodiscard]] std::optional<std::string> convertedToUtf8(std::string_view bytes);

}  // namespace roofscope
