// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace roofscope {

/// Estimates the number of tokens in a text from the words, numbers and marks that tokenizers such
/// as o200k split it into. The usual rule of four bytes per token is a third too low for texts full
/// of numbers.
[[nodiscard]] std::size_t estimateTokens(std::string_view text);

}  // namespace roofscope
