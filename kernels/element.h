// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// Element types on the host as bit patterns: conversions between bits and values.
namespace roofscope::kernels {

/// bfloat16 bits of `value`, rounded to nearest, ties to even.
[[nodiscard]] inline std::uint16_t toBfloat16(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}
/// The value of bfloat16 bits; exact.
[[nodiscard]] inline float fromBfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace roofscope::kernels
