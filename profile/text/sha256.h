// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace roofscope {

/// The SHA-256 of a byte string (FIPS 180-4).
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// The same in lower-case hexadecimal digits.
[[nodiscard]] std::string sha256Hex(std::string_view bytes);
/// The same in Base64 with padding, the form that a Content-Security-Policy uses.
[[nodiscard]] std::string sha256Base64(std::string_view bytes);

}  // namespace roofscope
