// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/capture/page_reader.h"
#include "extract/driver/byte_flags.h"
#include "extract/driver/fixed_memory.h"
#include "extract/driver/replayed_kernel.h"

namespace roofscope::replay {

/// The memory of a launch: its contents before each run, and what to expect after it.
class LaunchMemory {
public:
    struct Region {
        std::string variable;       ///< symbol of the variable; empty for an allocation
        std::uint64_t address = 0;  ///< where it was in the program
        std::vector<unsigned char> start;
        /// Chunks of the result that differ from `start`.
        std::map<std::uint64_t, std::vector<unsigned char>> result;
        ByteFlags flags;

        /// The contents of a chunk after the launch.
        [[nodiscard]] const unsigned char* expected(std::uint64_t chunk) const {
            const auto it = result.find(chunk);
            return it == result.end() ? start.data() + chunk * kChunkBytes : it->second.data();
        }
    };

    /// `fixed` must outlive this object.
    LaunchMemory(const CudaDriver& driver, const LaunchDescription& launch, FixedMemory& fixed,
                 const std::string& folder, capture::ZlibFunctions zlib)
        : m_driver(driver), m_launch(launch), m_fixed(fixed) {
        const capture::PageReader reader(folder, zlib);
        if (reader.regions().size() != launch.regions.size())
            throw std::runtime_error("memory.index and launch.json list different regions");
        for (std::size_t r = 0; r < launch.regions.size(); ++r) {
            const auto& stored = reader.regions()[r];
            if (stored.bytes != launch.regions[r].bytes)
                throw std::runtime_error("memory.index and launch.json have different sizes");
            Region region{launch.regions[r].variable,
                          launch.regions[r].address,
                          std::vector<unsigned char>(stored.bytes),
                          {},
                          ByteFlags(stored.bytes)};
            for (std::size_t c = 0; c < stored.before.size(); ++c) {
                reader.read(stored.before[c], region.start.data() + c * kChunkBytes);
                if (stored.after[c] == stored.before[c]) continue;
                auto& result = region.result[c];
                result.resize(region.flags.chunkBytes(c));
                reader.read(stored.after[c], result.data());
            }
            m_regions.push_back(std::move(region));
        }
    }

    [[nodiscard]] std::vector<Region>& regions() { return m_regions; }
    [[nodiscard]] const std::vector<Region>& regions() const { return m_regions; }
    [[nodiscard]] std::uint64_t bytes() const { return m_fixed.bytes(); }

    /// Marks the bytes that the launch changed as written.
    void markChanged() {
        for (Region& region : m_regions)
            for (const auto& [chunk, result] : region.result) {
                const unsigned char* const before = region.start.data() + chunk * kChunkBytes;
                unsigned char* const flags = region.flags.edit(chunk);
                for (std::size_t i = 0; i < result.size(); ++i)
                    if (before[i] != result[i]) flags[i] |= kWritten;
            }
    }

    /// Reads the flags that an earlier run wrote; false if there are none.
    bool readFlags(const std::string& folder) {
        std::vector<ByteFlags*> flags;
        std::vector<std::uint64_t> sizes;
        for (Region& region : m_regions) {
            flags.push_back(&region.flags);
            sizes.push_back(region.start.size());
        }
        return written_file::read(folder + "/" + written_file::kFile, flags, sizes);
    }
    void writeFlags(const std::string& folder) const {
        std::vector<const ByteFlags*> flags;
        for (const Region& region : m_regions) flags.push_back(&region.flags);
        written_file::write(folder + "/" + written_file::kFile, flags);
    }

    /// Changes the initial value of the bytes with kPoisoned so that no right result can be
    /// computed from it.
    void poison() {
        for (Region& region : m_regions)
            for (const auto& [chunk, flags] : region.flags.chunks()) {
                unsigned char* const start = region.start.data() + chunk * kChunkBytes;
                keepResult(region, chunk);
                const auto& result = region.result[chunk];
                for (std::size_t i = 0; i < flags.size(); ++i)
                    if (flags[i] & kPoisoned)
                        start[i] = static_cast<unsigned char>(result[i] ^ kPoison);
            }
    }
    /// Stores the chunk's result, so that changing its initial contents does not change the result.
    static void keepResult(Region& region, std::uint64_t chunk) {
        if (region.result.count(chunk)) return;
        const unsigned char* const from = region.start.data() + chunk * kChunkBytes;
        region.result.emplace(
            chunk, std::vector<unsigned char>(from, from + region.flags.chunkBytes(chunk)));
    }

    /// Where a region is for this kernel; nullopt for a variable that its module lacks.
    [[nodiscard]] std::optional<DevicePointer> place(std::size_t r,
                                                     const ReplayedKernel& kernel) const {
        if (m_regions[r].variable.empty()) return m_regions[r].address;
        return kernel.variable(m_launch.regions[r]);
    }

    /// Restores everything to before the launch, and fills the gaps between allocations with a
    /// known byte.
    void restore(const ReplayedKernel& kernel) const {
        for (const auto& gap : m_fixed.gaps())
            m_driver.check(m_driver.fill(gap.address, kGapByte, gap.bytes, nullptr),
                           "filling a gap");
        for (std::size_t r = 0; r < m_regions.size(); ++r)
            if (const auto at = place(r, kernel))
                m_driver.check(
                    m_driver.toDevice(*at, m_regions[r].start.data(), m_regions[r].start.size()),
                    "restoring memory");
        kernel.resetOwnVariables();
        m_driver.check(m_driver.synchronise(), "restoring memory");
    }

    /// Copies what a run changes to spare GPU memory, for restoreWritten().
    void keepOnGpu() {
        m_copies.clear();
        std::uint64_t total = 0;
        for (std::size_t r = 0; r < m_regions.size(); ++r) {
            const Region& region = m_regions[r];
            for (const auto& [chunk, flags] : region.flags.chunks()) {
                Copy copy{r, chunk * kChunkBytes, flags.size(), total};
                total += flags.size();
                if (!m_copies.empty() && m_copies.back().region == r &&
                    m_copies.back().offset + m_copies.back().bytes == copy.offset)
                    m_copies.back().bytes += copy.bytes;
                else
                    m_copies.push_back(copy);
            }
        }
        if (total == 0) return;
        m_driver.check(m_driver.allocate(&m_kept, total), "allocating GPU memory for the results");
        for (const Copy& copy : m_copies)
            m_driver.check(
                m_driver.toDevice(m_kept + copy.at,
                                  m_regions[copy.region].start.data() + copy.offset, copy.bytes),
                "keeping memory");
    }
    /// Restores only what the original writes. This is fast and runs in stream order.
    void restoreWritten(const ReplayedKernel& kernel, Handle stream) const {
        for (const Copy& copy : m_copies)
            if (const auto at = place(copy.region, kernel))
                m_driver.check(
                    m_driver.copy(*at + copy.offset, m_kept + copy.at, copy.bytes, stream),
                    "restoring memory");
    }

    /// Calls use(region, chunk, bytes) with the current contents of each chunk. With `writtenOnly`,
    /// only for chunks that the original writes.
    template <class Use>
    void read(const ReplayedKernel& kernel, bool writtenOnly, const Use& use) {
        m_buffer.resize(kReadAtOnce);
        for (std::size_t r = 0; r < m_regions.size(); ++r) {
            const auto at = place(r, kernel);
            if (!at) continue;
            const std::uint64_t bytes = m_regions[r].start.size();
            if (writtenOnly) {
                for (const Copy& copy : m_copies)
                    if (copy.region == r) read(*at, r, copy.offset, copy.bytes, use);
            } else {
                read(*at, r, 0, bytes, use);
            }
        }
    }

    /// The address of the first overwritten byte in a gap between allocations.
    [[nodiscard]] std::optional<std::uint64_t> damagedGap() {
        std::vector<unsigned char> bytes;
        for (const auto& gap : m_fixed.gaps()) {
            bytes.resize(gap.bytes);
            m_driver.check(m_driver.toHost(bytes.data(), gap.address, gap.bytes), "reading a gap");
            const auto wrong = std::find_if(bytes.begin(), bytes.end(),
                                            [](unsigned char b) { return b != kGapByte; });
            if (wrong != bytes.end())
                return gap.address + static_cast<std::uint64_t>(wrong - bytes.begin());
        }
        return {};
    }

private:
    struct Copy {
        std::size_t region = 0;
        std::uint64_t offset = 0, bytes = 0, at = 0;
    };
    /// Flips nearly all bits of an exponent, so that no poisoned number is within a tolerance of
    /// its value, not even 0.
    static constexpr unsigned char kPoison = 0x7F, kGapByte = 0xC5;
    static constexpr std::size_t kReadAtOnce = 512 * kChunkBytes;

    template <class Use>
    void read(DevicePointer at, std::size_t r, std::uint64_t offset, std::uint64_t bytes,
              const Use& use) {
        for (std::uint64_t done = 0; done < bytes; done += m_buffer.size()) {
            const std::size_t now =
                static_cast<std::size_t>(std::min<std::uint64_t>(m_buffer.size(), bytes - done));
            m_driver.check(m_driver.toHost(m_buffer.data(), at + offset + done, now),
                           "reading results");
            for (std::size_t i = 0; i < now; i += kChunkBytes)
                use(r, (offset + done + i) / kChunkBytes, m_buffer.data() + i);
        }
    }

    const CudaDriver& m_driver;
    const LaunchDescription& m_launch;
    FixedMemory& m_fixed;
    std::vector<Region> m_regions;
    std::vector<Copy> m_copies;
    DevicePointer m_kept = 0;
    std::vector<unsigned char> m_buffer;
};

}  // namespace roofscope::replay
