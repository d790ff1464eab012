// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Limits on what is read: a hostile file ends in an error, not in exhausted memory.
struct ReadLimits {
    std::uint64_t maxBytes = 4ULL << 30;  ///< after decompression
    int maxDepth = 64;                    ///< nesting of arrays and objects
    std::uint64_t maxNodes = 4'000'000;   ///< JSON values other than numbers in an array of numbers
    std::uint64_t maxLaunches = 16'000'000;
    std::uint64_t maxCells = 400'000'000;  ///< launches × counters
    /// Rows that other tables may have beyond `maxLaunches`: they cost less than launches, each of
    /// which may need an analysis of its own.
    std::uint64_t moreRows = 180'000;
    [[nodiscard]] std::uint64_t maxRows() const { return maxLaunches + moreRows; }
    int pipeWaitMs = 10'000;  ///< how long to wait for the first byte of a pipe
};

/// Parses a profile. `name` stands for the file in error messages, which also give the JSON pointer
/// or byte offset of the place.
Result<Profile> parseProfile(std::string_view json, std::string_view name,
                             const ReadLimits& limits = {});
/// Reads `NAME.roofscope.json`, plain or gzip-compressed (recognised by content).
Result<Profile> readProfile(const std::filesystem::path& path, const ReadLimits& limits = {});

/// The profile as JSON text (columns: one array per launch field and per counter).
std::string formatProfile(const Profile& profile);
/// Writes atomically (a temporary file beside it, then rename); gzip when the name ends in ".gz".
Result<void> writeProfile(const Profile& profile, const std::filesystem::path& path);

/// Checks what JSON types cannot: indices in range, table rows matching launches, and the like.
/// Called after reading, and before writing so that no unreadable file is written.
Result<void> validateProfile(const Profile& profile, std::string_view name,
                             const ReadLimits& limits = {});

}  // namespace roofscope
