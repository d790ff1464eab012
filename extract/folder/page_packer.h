// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// How much captured memory there was, and how much is kept.
struct PackedPages {
    std::uint64_t memoryBytes = 0;  ///< of all regions, once
    std::uint64_t storedBytes = 0;  ///< of the file
};

/// Writes the captured memory in `from` to `to`: equal chunks once, and compressed where that
/// makes them smaller. Errors: BadData (damaged files), Io (the disk is full).
Result<PackedPages> packPages(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace roofscope
