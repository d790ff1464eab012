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

/// Writes captured memory (page_format.h) uncompressed, because compressing would delay the
/// program. PagePacker compresses it afterwards.
class PageWriter {
public:
    /// Creates `memory.bin` in an existing folder.
    explicit PageWriter(std::filesystem::path folder);

    /// A new region; returns its number.
    std::size_t addRegion(std::uint64_t bytes);
    /// The next bytes of a region before the launch, in order. All calls but the last of a region
    /// pass a multiple of kChunkBytes.
    void before(std::size_t region, std::span<const unsigned char> bytes);
    /// The same for the contents after the launch; called when `before` is complete.
    void after(std::size_t region, std::span<const unsigned char> bytes);
    /// Writes `memory.index`. Errors: CannotCreate, Io (the disk is full); or a region is
    /// incomplete (Internal).
    Result<void> finish();

    /// Returns the number of the chunk with these contents. Writes them unless the chunk is known
    /// or repeats the same 8 bytes.
    std::uint32_t add(std::span<const unsigned char> chunk);
    /// Adds a chunk whose bytes are already encoded.
    std::uint32_t add(StoredChunk chunk, std::span<const unsigned char> encoded);
    /// Adds a region by its chunk numbers.
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
    std::vector<unsigned char> m_known;  ///< the stored chunk that a new one is compared with
};

/// The 8 bytes that a chunk repeats; absent if it does not repeat 8 bytes.
[[nodiscard]] std::optional<std::uint64_t> fillOf(std::span<const unsigned char> chunk);

}  // namespace roofscope::capture
