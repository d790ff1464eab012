// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofscope {

inline constexpr std::size_t kMaxName = 200;  ///< default cap for names in reports
/// Cap for names that other programs match: PyTorch's have 5000 characters, and a spreadsheet cell
/// holds this many.
inline constexpr std::size_t kMostOfFullName = 32'767;
/// Cap for a whole message: longer than any path in it.
inline constexpr std::size_t kMaxMessage = 10'000;

/// One line of clean UTF-8. Terminal escape sequences, control characters, invisible and
/// direction-changing characters are removed, line ends and tabs become spaces, invalid bytes
/// become U+FFFD. Longer texts are cut and end in "…". Every message on stderr goes through here:
/// it quotes file names, options and profile contents, which a terminal or a CI system must not
/// interpret as commands.
[[nodiscard]] std::string cleanText(std::string_view text, std::size_t maxLength = kMaxName);

}  // namespace roofscope
