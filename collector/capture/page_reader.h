// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "collector/capture/page_format.h"

namespace roofscope::capture {

/// The two functions of zlib that reading needs. The driver in a folder loads them at run time.
struct ZlibFunctions {
    int (*uncompress)(unsigned char*, unsigned long*, const unsigned char*,
                      unsigned long) = nullptr;
    unsigned long (*crc32)(unsigned long, const unsigned char*, unsigned) = nullptr;
};

/// A file as read-only memory. Throws std::runtime_error if it cannot be opened.
class MappedFile {
public:
    explicit MappedFile(const std::string& path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
            if (file >= 0) close(file);
            throw std::runtime_error(path + ": cannot be opened");
        }
        m_size = static_cast<std::size_t>(status.st_size);
        if (m_size > 0) {
            void* const at = mmap(nullptr, m_size, PROT_READ, MAP_PRIVATE, file, 0);
            close(file);
            if (at == MAP_FAILED) throw std::runtime_error(path + ": cannot be read");
            m_data = static_cast<const unsigned char*>(at);
        } else {
            close(file);
        }
    }
    ~MappedFile() {
        if (m_data) munmap(const_cast<unsigned char*>(m_data), m_size);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] const unsigned char* data() const { return m_data; }
    [[nodiscard]] std::size_t size() const { return m_size; }

private:
    const unsigned char* m_data = nullptr;
    std::size_t m_size = 0;
};

/// Reads captured memory (page_format.h). The files are untrusted: inconsistent sizes are refused
/// on opening, damaged bytes on reading. Errors are std::runtime_errors that name the file.
class PageReader {
public:
    struct Region {
        std::uint64_t bytes = 0;
        std::vector<std::uint32_t> before, after;  ///< chunk numbers
    };

    PageReader(const std::string& folder, ZlibFunctions zlib)
        : m_indexPath(folder + "/" + kIndexFile),
          m_pagesPath(folder + "/" + kPagesFile),
          m_pages(m_pagesPath),
          m_zlib(zlib) {
        readIndex();
    }

    [[nodiscard]] const std::vector<Region>& regions() const { return m_regions; }
    [[nodiscard]] const std::vector<StoredChunk>& chunks() const { return m_chunks; }

    /// Writes the bytes of a chunk to `to`, which must have room for its `raw` bytes.
    void read(std::uint32_t id, unsigned char* to) const {
        const StoredChunk& chunk = m_chunks.at(id);
        const unsigned char* const from = m_pages.data() + chunk.offset;
        switch (static_cast<ChunkKind>(chunk.kind)) {
            case ChunkKind::Fill:
                for (std::uint32_t at = 0; at < chunk.raw; at += 8)
                    std::memcpy(to + at, &chunk.offset, std::min<std::size_t>(8, chunk.raw - at));
                return;
            case ChunkKind::Raw:
                std::memcpy(to, from, chunk.raw);
                break;
            case ChunkKind::Zlib: {
                unsigned long bytes = chunk.raw;
                if (m_zlib.uncompress(to, &bytes, from, chunk.stored) != 0 || bytes != chunk.raw)
                    damaged(m_pagesPath, "a compressed chunk");
            }
        }
        if (m_zlib.crc32(0, to, chunk.raw) != chunk.crc) damaged(m_pagesPath, "a checksum");
    }

private:
    [[noreturn]] static void damaged(const std::string& path, const char* what) {
        throw std::runtime_error(path + ": is damaged (" + what + ")");
    }

    void readIndex() {
        const MappedFile file(m_indexPath);
        std::size_t at = 0;
        const auto take = [&](void* to, std::size_t bytes) {
            if (bytes > file.size() - at) damaged(m_indexPath, "it is too short");
            if (bytes > 0) std::memcpy(to, file.data() + at, bytes);
            at += bytes;
        };
        IndexHeader header{};
        take(&header, sizeof header);
        if (std::memcmp(header.magic, kIndexMagic, sizeof header.magic) != 0 ||
            header.chunkBytes != kChunkBytes)
            damaged(m_indexPath, "it is not a list of pages that this program knows");
        // Sizes are checked against the file before anything is allocated for them.
        if (header.chunks > (file.size() - at) / sizeof(StoredChunk))
            damaged(m_indexPath, "number of chunks");
        m_chunks.resize(header.chunks);
        take(m_chunks.data(), m_chunks.size() * sizeof(StoredChunk));
        for (const StoredChunk& chunk : m_chunks) check(chunk);
        if (header.regions > (file.size() - at) / sizeof(std::uint64_t))
            damaged(m_indexPath, "number of regions");
        m_regions.resize(header.regions);
        for (Region& region : m_regions) {
            take(&region.bytes, sizeof region.bytes);
            const std::uint64_t count = chunksOf(region.bytes);
            if (count > (file.size() - at) / (2 * sizeof(std::uint32_t)))
                damaged(m_indexPath, "size of a region");
            for (auto* list : {&region.before, &region.after}) {
                list->resize(count);
                take(list->data(), count * sizeof(std::uint32_t));
                for (std::size_t i = 0; i < count; ++i) check(region, i, (*list)[i]);
            }
        }
        if (at != file.size()) damaged(m_indexPath, "it is too long");
    }

    void check(const StoredChunk& chunk) const {
        if (chunk.raw == 0 || chunk.raw > kChunkBytes || chunk.kind > 2)
            damaged(m_indexPath, "size of a chunk");
        if (chunk.kind == static_cast<std::uint32_t>(ChunkKind::Fill)) return;
        if (chunk.kind == static_cast<std::uint32_t>(ChunkKind::Raw) && chunk.stored != chunk.raw)
            damaged(m_indexPath, "size of a chunk");
        if (chunk.offset > m_pages.size() || chunk.stored > m_pages.size() - chunk.offset)
            damaged(m_pagesPath, "it is too short");
    }

    void check(const Region& region, std::size_t i, std::uint32_t id) const {
        const std::uint64_t left = region.bytes - std::uint64_t{i} * kChunkBytes;
        if (id >= m_chunks.size() || m_chunks[id].raw != std::min<std::uint64_t>(left, kChunkBytes))
            damaged(m_indexPath, "a chunk number");
    }

    std::string m_indexPath, m_pagesPath;
    MappedFile m_pages;
    ZlibFunctions m_zlib;
    std::vector<StoredChunk> m_chunks;
    std::vector<Region> m_regions;
};

}  // namespace roofscope::capture
