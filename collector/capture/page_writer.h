// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collector/capture/page_format.h"
#include "profile/errors/result.h"

namespace roofscope::capture {

/// Writes captured memory (page_format.h) as it is: chunks are not compressed, because that would
/// hold up the program; PagePacker does it afterwards.
class PageWriter {
public:
    /// Creates `memory.bin` in an existing folder.
    explicit PageWriter(std::filesystem::path folder);

    /// A new region; returns its number.
    std::size_t addRegion(std::uint64_t bytes);
    /// The next bytes of a region before the launch, in order. All calls but the last of a region
    /// pass a multiple of kChunkBytes.
    void before(std::size_t region, std::span<const unsigned char> bytes);
    /// The same after the launch, once all of `before` has come.
    void after(std::size_t region, std::span<const unsigned char> bytes);
    /// Writes `memory.index`. Errors: CannotCreate, Io (the disk is full); or a region is
    /// incomplete (Internal).
    Result<void> finish();

    /// The number of a chunk with these contents, which are written unless they are all equal.
    std::uint32_t add(std::span<const unsigned char> chunk);
    /// A chunk whose bytes are already encoded.
    std::uint32_t add(StoredChunk chunk, std::span<const unsigned char> encoded);
    /// A region by its chunk numbers.
    void addRegion(std::uint64_t bytes, std::vector<std::uint32_t> before,
                   std::vector<std::uint32_t> after);

private:
    struct Region {
        std::uint64_t bytes = 0;
        std::vector<std::uint32_t> before, after;
    };
    [[nodiscard]] bool holds(std::uint32_t id, std::span<const unsigned char> chunk);

    std::filesystem::path m_folder;
    std::fstream m_pages;
    std::uint64_t m_written = 0;
    std::vector<StoredChunk> m_chunks;
    std::vector<Region> m_regions;
    std::vector<unsigned char> m_known;  ///< bytes of a chunk that is compared
};

/// The 8 bytes that a chunk repeats; absent if it holds anything else.
[[nodiscard]] std::optional<std::uint64_t> fillOf(std::span<const unsigned char> chunk);

}  // namespace roofscope::capture
