// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/capture/page_format.h"

namespace roofscope::replay {

using capture::kChunkBytes;

/// What is known about one byte of memory.
enum ByteFlag : unsigned char {
    kWritten = 1,   ///< the original writes it
    kPoisoned = 2,  ///< written but never read: set to a wrong value before each run
    kVaries = 4     ///< the original's result differs from run to run
};

/// Flags of a region's bytes. Only chunks with a flag are stored.
class ByteFlags {
public:
    explicit ByteFlags(std::uint64_t bytes = 0) : m_bytes(bytes) {}

    [[nodiscard]] std::size_t chunkBytes(std::uint64_t chunk) const {
        return static_cast<std::size_t>(
            std::min<std::uint64_t>(kChunkBytes, m_bytes - chunk * kChunkBytes));
    }
    /// The flags of a chunk, one byte of flags per byte; nullptr if none is set.
    [[nodiscard]] const unsigned char* of(std::uint64_t chunk) const {
        const auto it = m_chunks.find(chunk);
        return it == m_chunks.end() ? nullptr : it->second.data();
    }
    /// Like of(), for setting flags.
    unsigned char* edit(std::uint64_t chunk) {
        auto& flags = m_chunks[chunk];
        flags.resize(chunkBytes(chunk));
        return flags.data();
    }
    [[nodiscard]] const std::map<std::uint64_t, std::vector<unsigned char>>& chunks() const {
        return m_chunks;
    }
    /// The number of bytes with this flag.
    [[nodiscard]] std::uint64_t count(ByteFlag flag) const {
        std::uint64_t sum = 0;
        for (const auto& [chunk, flags] : m_chunks)
            for (const unsigned char f : flags) sum += (f & flag) != 0;
        return sum;
    }
    void clear(ByteFlag flag) {
        for (auto& [chunk, flags] : m_chunks)
            for (unsigned char& f : flags) f = static_cast<unsigned char>(f & ~flag);
    }

private:
    std::uint64_t m_bytes;
    std::map<std::uint64_t, std::vector<unsigned char>> m_chunks;
};

/// `written.bin`: the flags of all regions, run-length encoded.
namespace written_file {

inline constexpr const char* kFile = "written.bin";
inline constexpr char kMagic[8] = {'R', 'S', 'W', 'R', 'I', 'T', 'E', '1'};

inline void write(const std::string& path, const std::vector<const ByteFlags*>& regions) {
    const std::string partial = path + ".partial";
    std::ofstream file(partial, std::ios::binary);
    const auto put = [&](const auto& value) {
        file.write(reinterpret_cast<const char*>(&value), sizeof value);
    };
    file.write(kMagic, sizeof kMagic);
    put(std::uint64_t{regions.size()});
    for (const ByteFlags* region : regions) {
        put(std::uint64_t{region->chunks().size()});
        for (const auto& [chunk, flags] : region->chunks()) {
            std::vector<std::pair<std::uint32_t, unsigned char>> runs;
            for (const unsigned char f : flags) {
                if (runs.empty() || runs.back().second != f) runs.emplace_back(0, f);
                ++runs.back().first;
            }
            put(chunk);
            put(static_cast<std::uint32_t>(runs.size()));
            for (const auto& [length, f] : runs) {
                put(length);
                put(f);
            }
        }
    }
    file.close();
    if (!file || std::rename(partial.c_str(), path.c_str()) != 0)
        throw std::runtime_error(path + ": cannot be written");
}

/// Reads the flags of regions of these sizes. Returns false if there is no such file. Throws
/// std::runtime_error if the file does not fit these regions.
inline bool read(const std::string& path, const std::vector<ByteFlags*>& regions,
                 const std::vector<std::uint64_t>& sizes) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return false;
    const auto damaged = [&] { return std::runtime_error(path + ": is damaged; delete it"); };
    const auto take = [&](auto& value) {
        file.read(reinterpret_cast<char*>(&value), sizeof value);
        if (!file) throw damaged();
    };
    char magic[sizeof kMagic];
    std::uint64_t count = 0;
    take(magic);
    take(count);
    if (std::memcmp(magic, kMagic, sizeof magic) != 0 || count != regions.size()) throw damaged();
    for (std::size_t r = 0; r < regions.size(); ++r) {
        std::uint64_t chunks = 0;
        take(chunks);
        if (chunks > capture::chunksOf(sizes[r])) throw damaged();
        for (; chunks > 0; --chunks) {
            std::uint64_t chunk = 0;
            std::uint32_t runs = 0;
            take(chunk);
            take(runs);
            if (chunk >= capture::chunksOf(sizes[r])) throw damaged();
            unsigned char* const flags = regions[r]->edit(chunk);
            std::size_t at = 0;
            for (; runs > 0; --runs) {
                std::uint32_t length = 0;
                unsigned char f = 0;
                take(length);
                take(f);
                if (length > regions[r]->chunkBytes(chunk) - at) throw damaged();
                std::memset(flags + at, f, length);
                at += length;
            }
            if (at != regions[r]->chunkBytes(chunk)) throw damaged();
        }
    }
    return true;
}

}  // namespace written_file

}  // namespace roofscope::replay
