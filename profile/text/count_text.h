// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace roofscope {

/// A count with its noun for an English message: countText(1, "launch", "launches") → "1 launch".
[[nodiscard]] inline std::string countText(std::uint64_t count, std::string_view one,
                                           std::string_view many) {
    return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace roofscope
