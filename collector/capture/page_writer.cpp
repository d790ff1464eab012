// SPDX-License-Identifier: Apache-2.0
#include "collector/capture/page_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "profile/files/file_size_guard.h"

namespace roofscope::capture {
namespace {

template <class T>
void put(std::ofstream& file, const T* from, std::size_t count) {
    file.write(reinterpret_cast<const char*>(from),
               static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

std::optional<std::uint64_t> fillOf(std::span<const unsigned char> chunk) {
    std::uint64_t word = 0;
    if (chunk.empty()) return {};
    std::memcpy(&word, chunk.data(), std::min(chunk.size(), sizeof word));
    // The chunk repeats its first 8 bytes if it equals itself shifted by 8 bytes.
    if (chunk.size() > sizeof word &&
        std::memcmp(chunk.data(), chunk.data() + sizeof word, chunk.size() - sizeof word) != 0)
        return {};
    return word;
}

PageWriter::PageWriter(std::filesystem::path folder)
    : m_folder(std::move(folder)),
      m_pages(m_folder / kPagesFile,
              std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc) {}

std::size_t PageWriter::addRegion(std::uint64_t bytes) {
    m_regions.push_back({.bytes = bytes});
    return m_regions.size() - 1;
}

void PageWriter::before(std::size_t region, std::span<const unsigned char> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes)
        m_regions[region].before.push_back(
            add(bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at))));
}

void PageWriter::after(std::size_t region, std::span<const unsigned char> bytes) {
    Region& r = m_regions[region];
    for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
        const auto chunk = bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at));
        const std::size_t i = r.after.size();
        const bool same = i < r.before.size() && holds(r.before[i], chunk);
        r.after.push_back(same ? r.before[i] : add(chunk));
    }
}

std::uint32_t PageWriter::add(std::span<const unsigned char> chunk) {
    StoredChunk stored{.raw = static_cast<std::uint32_t>(chunk.size())};
    if (const auto fill = fillOf(chunk)) {
        stored.offset = *fill;
        return add(stored, {});
    }
    stored.kind = static_cast<std::uint32_t>(ChunkKind::Raw);
    stored.crc =
        static_cast<std::uint32_t>(crc32(0, chunk.data(), static_cast<unsigned>(chunk.size())));
    return add(stored, chunk);
}

std::uint32_t PageWriter::add(StoredChunk chunk, std::span<const unsigned char> encoded) {
    if (chunk.kind != static_cast<std::uint32_t>(ChunkKind::Fill)) {
        const FileSizeGuard guard;
        chunk.offset = m_written;
        chunk.stored = static_cast<std::uint32_t>(encoded.size());
        m_pages.seekp(static_cast<std::streamoff>(m_written));
        m_pages.write(reinterpret_cast<const char*>(encoded.data()),
                      static_cast<std::streamsize>(encoded.size()));
        m_written += encoded.size();
    }
    m_chunks.push_back(chunk);
    return static_cast<std::uint32_t>(m_chunks.size() - 1);
}

void PageWriter::addRegion(std::uint64_t bytes, std::vector<std::uint32_t> before,
                           std::vector<std::uint32_t> after) {
    m_regions.push_back({.bytes = bytes, .before = std::move(before), .after = std::move(after)});
}

bool PageWriter::holds(std::uint32_t id, std::span<const unsigned char> chunk) {
    const StoredChunk& known = m_chunks[id];
    if (known.raw != chunk.size()) return false;
    const auto fill = fillOf(chunk);
    const bool filled = known.kind == static_cast<std::uint32_t>(ChunkKind::Fill);
    if (fill || filled) return fill && filled && *fill == known.offset;
    if (known.crc != crc32(0, chunk.data(), static_cast<unsigned>(chunk.size()))) return false;
    m_known.resize(known.stored);
    m_pages.seekg(static_cast<std::streamoff>(known.offset));
    m_pages.read(reinterpret_cast<char*>(m_known.data()),
                 static_cast<std::streamsize>(m_known.size()));
    return m_pages && std::memcmp(m_known.data(), chunk.data(), chunk.size()) == 0;
}

Result<void> PageWriter::finish() {
    const FileSizeGuard guard;
    for (const Region& r : m_regions)
        if (r.before.size() != chunksOf(r.bytes) || r.after.size() != chunksOf(r.bytes))
            return Error{.code = ErrorCode::Internal, .what = "a region of memory is incomplete"};
    const auto index = m_folder / kIndexFile;
    std::ofstream file(index, std::ios::binary);
    IndexHeader header{
        .chunkBytes = kChunkBytes, .chunks = m_chunks.size(), .regions = m_regions.size()};
    std::memcpy(header.magic, kIndexMagic, sizeof header.magic);
    put(file, &header, 1);
    put(file, m_chunks.data(), m_chunks.size());
    for (const Region& r : m_regions) {
        put(file, &r.bytes, 1);
        put(file, r.before.data(), r.before.size());
        put(file, r.after.data(), r.after.size());
    }
    file.close();
    m_pages.flush();
    if (m_pages && file) return {};
    return Error{.code = ErrorCode::Io,
                 .what = "captured memory could not be written",
                 .where = m_folder.string(),
                 .advice = "is the disk full?"};
}

}  // namespace roofscope::capture
