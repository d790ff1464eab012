// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The files that hold the memory of a captured launch. Both are little-endian.
///
/// `memory.index` consists of an IndexHeader, `chunks` StoredChunks, and for each region its size
/// in bytes (8 bytes) and two lists of chunk numbers (4 bytes each): the contents before the launch
/// and after it. A region of N bytes has ceil(N / kChunkBytes) chunks. Equal chunks have the same
/// number, so memory that the launch does not change is stored once. `memory.bin` holds the bytes
/// of the chunks, one after the other.
///
/// This header and page_reader.h are also part of the driver that `roofscope extract` writes into
/// its folder, so they need nothing but the standard library.
namespace roofscope::capture {

inline constexpr char kIndexFile[] = "memory.index";
inline constexpr char kPagesFile[] = "memory.bin";
/// Bytes of a chunk; the last one of a region may be shorter.
inline constexpr std::size_t kChunkBytes = 64 * 1024;

enum class ChunkKind : std::uint32_t {
    Fill = 0,  ///< the same 8 bytes repeated: `offset` holds them
    Raw = 1,   ///< as they are
    Zlib = 2   ///< compressed
};

struct IndexHeader {
    char magic[8];  ///< kIndexMagic
    std::uint64_t chunkBytes;
    std::uint64_t chunks;
    std::uint64_t regions;
};
inline constexpr char kIndexMagic[8] = {'R', 'S', 'P', 'A', 'G', 'E', 'S', '1'};

struct StoredChunk {
    std::uint64_t offset;  ///< in `memory.bin`
    std::uint32_t stored;  ///< bytes there
    std::uint32_t raw;     ///< bytes of memory
    std::uint32_t crc;     ///< of the bytes of memory, as zlib's crc32(); 0 for Fill
    std::uint32_t kind;    ///< ChunkKind
};
static_assert(sizeof(IndexHeader) == 32 && sizeof(StoredChunk) == 24);

/// How many chunks a region of `bytes` has.
[[nodiscard]] constexpr std::uint64_t chunksOf(std::uint64_t bytes) {
    return bytes / kChunkBytes + (bytes % kChunkBytes ? 1 : 0);
}

}  // namespace roofscope::capture
