// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace roofscope {

/// A rough count of an assistant's tokens in a text (about 4 bytes each, more for non-ASCII).
[[nodiscard]] std::size_t estimateTokens(std::string_view text);

}  // namespace roofscope
