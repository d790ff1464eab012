// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roofscope {

/// The function of the C or math library that begins at `offset` of `module`, if libc chose that
/// variant for this CPU: "memcpy" for "__memmove_avx_unaligned_erms". Variants have no exported
/// symbol, so other tools cannot name them if libc is stripped. Empty if it is no such variant, or
/// if `module` is not the library that this process uses.
[[nodiscard]] std::string libcVariant(const std::string& module, std::uint64_t offset);

}  // namespace roofscope
