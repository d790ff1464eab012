// SPDX-License-Identifier: Apache-2.0
#include "extract/folder/page_packer.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/capture/page_reader.h"
#include "collector/capture/page_writer.h"

namespace roofscope {
namespace {

using capture::ChunkKind;
using capture::PageReader;
using capture::PageWriter;
using capture::StoredChunk;

struct Packed {
    StoredChunk chunk{};
    std::vector<unsigned char> bytes;
};

capture::ZlibFunctions ownZlib() { return {.uncompress = uncompress, .crc32 = crc32}; }

Packed packed(const PageReader& reader, std::uint32_t id) {
    Packed result{.chunk = reader.chunks()[id]};
    if (result.chunk.kind == static_cast<std::uint32_t>(ChunkKind::Fill)) return result;
    std::vector<unsigned char> raw(result.chunk.raw);
    reader.read(id, raw.data());
    // Reading raw data is faster than decompressing, so compress only if it saves enough.
    constexpr unsigned long kWorth = 9;  // tenths
    unsigned long size = compressBound(raw.size());
    result.bytes.resize(size);
    const bool ok = compress2(result.bytes.data(), &size, raw.data(), raw.size(), 1) == Z_OK;
    if (ok && size <= raw.size() * kWorth / 10) {
        result.bytes.resize(size);
        result.chunk.kind = static_cast<std::uint32_t>(ChunkKind::Zlib);
    } else {
        result.bytes = std::move(raw);
        result.chunk.kind = static_cast<std::uint32_t>(ChunkKind::Raw);
    }
    return result;
}

/// Packs chunks on all CPU cores, a batch at a time.
class ChunkPacking {
public:
    ChunkPacking(const PageReader& reader, PageWriter& writer)
        : m_reader(reader), m_writer(writer) {}

    /// Packs all chunks and returns the new number of each.
    std::vector<std::uint32_t> run() {
        const auto count = static_cast<std::uint32_t>(m_reader.chunks().size());
        std::vector<std::uint32_t> numbers(count);
        for (std::uint32_t first = 0; first < count; first += kBatch) {
            const std::uint32_t last = std::min(count, first + kBatch);
            std::vector<Packed> batch = pack(first, last);
            for (std::uint32_t id = first; id < last; ++id)
                numbers[id] = number(std::move(batch[id - first]));
        }
        return numbers;
    }

private:
    static constexpr std::uint32_t kBatch = 1024;

    std::vector<Packed> pack(std::uint32_t first, std::uint32_t last) const {
        std::vector<Packed> batch(last - first);
        const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
        std::vector<std::thread> running;
        std::vector<std::exception_ptr> failed(threads);
        for (unsigned t = 0; t < threads; ++t)
            running.emplace_back([&, t] {
                try {
                    for (std::uint32_t id = first + t; id < last; id += threads)
                        batch[id - first] = packed(m_reader, id);
                } catch (...) {
                    failed[t] = std::current_exception();
                }
            });
        for (std::thread& thread : running) thread.join();
        for (const std::exception_ptr& error : failed)
            if (error) std::rethrow_exception(error);
        return batch;
    }

    /// Equal chunks have equal encodings. Compare the encoded bytes: hashes alone could collide.
    std::uint32_t number(Packed chunk) {
        std::string key(reinterpret_cast<const char*>(chunk.bytes.data()), chunk.bytes.size());
        const bool fill = chunk.chunk.kind == static_cast<std::uint32_t>(ChunkKind::Fill);
        const std::uint64_t hash = fill ? chunk.chunk.offset : std::hash<std::string>()(key);
        auto& known = m_known[hash ^ (std::uint64_t{chunk.chunk.raw} << 40) ^ chunk.chunk.crc];
        for (const auto& [id, first] : known)
            if (first.kind == chunk.chunk.kind && first.raw == chunk.chunk.raw &&
                (fill ? first.offset == chunk.chunk.offset : same(id, chunk)))
                return id;
        const std::uint32_t id = m_writer.add(chunk.chunk, chunk.bytes);
        m_sources.push_back(fill ? std::string() : std::move(key));
        m_kept += m_sources.back().size();
        // Limit the memory for chunks that are kept for comparison.
        if (m_kept > kMostKept) {
            m_known.clear();
            std::fill(m_sources.begin(), m_sources.end(), std::string());
            m_kept = 0;
        } else {
            known.emplace_back(id, chunk.chunk);
        }
        return id;
    }
    [[nodiscard]] bool same(std::uint32_t id, const Packed& chunk) const {
        const std::string& bytes = m_sources[id];
        return bytes.size() == chunk.bytes.size() &&
               std::memcmp(bytes.data(), chunk.bytes.data(), bytes.size()) == 0;
    }

    static constexpr std::uint64_t kMostKept = std::uint64_t{2} << 30;

    const PageReader& m_reader;
    PageWriter& m_writer;
    std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint32_t, StoredChunk>>> m_known;
    std::vector<std::string> m_sources;  ///< encoded bytes, by new chunk number
    std::uint64_t m_kept = 0;
};

}  // namespace

Result<PackedPages> packPages(const std::filesystem::path& from, const std::filesystem::path& to) {
    try {
        if (std::filesystem::equivalent(from, to))
            return Error{.code = ErrorCode::Internal, .what = "memory cannot be packed in place"};
        const PageReader reader(from.string(), ownZlib());
        PageWriter writer(to);
        const auto numbers = ChunkPacking(reader, writer).run();
        PackedPages pages;
        for (const PageReader::Region& region : reader.regions()) {
            auto before = region.before, after = region.after;
            for (auto* list : {&before, &after})
                for (std::uint32_t& id : *list) id = numbers[id];
            writer.addRegion(region.bytes, std::move(before), std::move(after));
            pages.memoryBytes += region.bytes;
        }
        if (auto ok = writer.finish(); !ok) return ok.error();
        pages.storedBytes = std::filesystem::file_size(to / capture::kPagesFile);
        return pages;
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::BadData, .what = error.what()};
    }
}

}  // namespace roofscope
