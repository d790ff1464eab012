// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofscope {

inline constexpr std::size_t kMaxName = 200;  ///< default cap for names in reports
/// Cap where a name is to be found by other programs: PyTorch's have 5000 characters, and a cell of
/// a spreadsheet holds so many.
inline constexpr std::size_t kMostOfFullName = 32'767;
/// Cap for a whole message: longer than any path that it names.
inline constexpr std::size_t kMaxMessage = 10'000;

/// One line of clean UTF-8: terminal escape sequences, control characters, invisible and
/// direction-changing characters are removed, line ends and tabs become spaces, invalid bytes
/// become U+FFFD. Longer texts are cut and end in "…". Every message on stderr goes through here:
/// it quotes names of files, options and what is in profiles, and a terminal or a CI system that
/// reads the lines must not take those for its own.
[[nodiscard]] std::string cleanText(std::string_view text, std::size_t maxLength = kMaxName);

}  // namespace roofscope
