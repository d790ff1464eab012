// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "profile/errors/result.h"

namespace roofscope {

/// How much memory was captured, and how much of it is stored.
struct PackedPages {
    std::uint64_t memoryBytes = 0;  ///< of all regions, without compression
    std::uint64_t storedBytes = 0;  ///< size of the file
};

/// Copies the captured memory from `from` to `to`. Equal chunks are stored once, and compressed if
/// that makes them smaller. Errors: BadData (damaged files), Io (the disk is full).
Result<PackedPages> packPages(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace roofscope
