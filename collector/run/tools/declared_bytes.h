// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Bytes that launches must move, as declared by the kernel's author.
struct DeclaredBytes {
    std::string kernel;       ///< regular expression, found anywhere in the name; empty: any kernel
    std::string range;        ///< the innermost NVTX range of the launch; empty: any
    std::uint64_t bytes = 0;  ///< of one launch, at least 1
};

/// "512M", "4Gi": digits, optionally with a fraction, then k, M, G, T (powers of 1000) or Ki, Mi,
/// Gi, Ti (powers of 1024), optionally followed by B. nullopt for anything but a whole number of at
/// least 1 byte.
[[nodiscard]] std::optional<std::uint64_t> parseBytes(std::string_view text);

/// "copy=512M": a regular expression, and bytes with k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti
/// (of 1024). Anything but a whole number of bytes, at least 1, is a usage error.
Result<DeclaredBytes> parseDeclaredBytes(const std::string& text);

/// Sets Launch::declaredBytes; the first matching declaration counts. A declaration for a kernel
/// that was not launched becomes an issue.
void declareBytes(Profile& profile, const std::vector<DeclaredBytes>& declarations);

}  // namespace roofscope
