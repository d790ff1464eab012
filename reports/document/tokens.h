// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace roofscope {

/// About how many tokens an assistant reads in a text: by the words, numbers and marks that
/// tokenizers such as o200k cut it into. Four bytes per token, as is often reckoned, is a third too
/// few for texts full of numbers.
[[nodiscard]] std::size_t estimateTokens(std::string_view text);

}  // namespace roofscope
