// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace roofscope::kernels {

/// What the memory instructions of a block (or grid) request, in the units of the counters with the
/// same meaning (kernels/counters.h). Instructions without an active thread do not count.
struct AccessCounts {
    double globalLoadBytes = 0, globalStoreBytes = 0;
    double globalLoadSectors = 0, globalStoreSectors = 0;
    double sharedLoadWavefronts = 0, sharedStoreWavefronts = 0;

    /// Adds `other` `times` times.
    void add(const AccessCounts& other, double times) {
        globalLoadBytes += times * other.globalLoadBytes;
        globalStoreBytes += times * other.globalStoreBytes;
        globalLoadSectors += times * other.globalLoadSectors;
        globalStoreSectors += times * other.globalStoreSectors;
        sharedLoadWavefronts += times * other.sharedLoadWavefronts;
        sharedStoreWavefronts += times * other.sharedStoreWavefronts;
    }
};

/// The address of a thread that is inactive in an instruction.
inline constexpr std::int64_t kInactive = -1;

/// Replays the addresses of one block's memory instructions on the host, warp by warp, and counts
/// what the hardware counts: distinct bytes and 32-byte sectors per warp for global accesses,
/// distinct words per bank for shared ones. It mirrors a kernel line by line, so that the counters
/// of any shape, even odd ones, are known without running it.
class BlockTally {
public:
    static constexpr int kWarp = 32, kSectorBytes = 32, kBanks = 32;

    explicit BlockTally(int threads) : m_threads(threads) {}

    /// One load of `bytes` per thread at address(thread) (a byte address or kInactive).
    template <class Address>
    void globalLoad(int bytes, Address address) {
        forEachWarp(address, [&](Lanes& lanes) {
            m_counts.globalLoadBytes += distinct(lanes, 1) * bytes;
            m_counts.globalLoadSectors += distinct(lanes, kSectorBytes);
        });
    }
    /// One store of `bytes` per thread.
    template <class Address>
    void globalStore(int bytes, Address address) {
        forEachWarp(address, [&](Lanes& lanes) {
            m_counts.globalStoreBytes += distinct(lanes, 1) * bytes;
            m_counts.globalStoreSectors += distinct(lanes, kSectorBytes);
        });
    }
    /// One load of a 4-byte word per thread; address in words.
    template <class Address>
    void sharedLoad(Address word) {
        forEachWarp(word, [&](Lanes& lanes) { m_counts.sharedLoadWavefronts += conflicts(lanes); });
    }
    /// One store of a 4-byte word per thread; address in words.
    template <class Address>
    void sharedStore(Address word) {
        forEachWarp(word,
                    [&](Lanes& lanes) { m_counts.sharedStoreWavefronts += conflicts(lanes); });
    }

    [[nodiscard]] const AccessCounts& counts() const { return m_counts; }

private:
    struct Lanes {
        std::array<std::int64_t, kWarp> address{};
        int active = 0;
    };

    template <class Address, class Visit>
    void forEachWarp(Address address, Visit visit) const {
        for (int first = 0; first < m_threads; first += kWarp) {
            Lanes lanes;
            for (int thread = first; thread < std::min(first + kWarp, m_threads); ++thread) {
                const std::int64_t at = address(thread);
                if (at != kInactive) lanes.address[lanes.active++] = at;
            }
            if (lanes.active == 0) continue;
            std::sort(lanes.address.begin(), lanes.address.begin() + lanes.active);
            visit(lanes);
        }
    }
    /// Distinct granules of the (sorted) addresses. Accesses are naturally aligned, so none spans
    /// two sectors.
    static int distinct(const Lanes& lanes, int granule) {
        int count = 1;
        for (int i = 1; i < lanes.active; ++i)
            count += lanes.address[i] / granule != lanes.address[i - 1] / granule;
        return count;
    }
    /// Distinct words of the fullest bank; threads that read the same word are served together.
    static int conflicts(const Lanes& lanes) {
        std::array<int, kBanks> words{};
        int most = 0;
        for (int i = 0; i < lanes.active; ++i) {
            if (i > 0 && lanes.address[i] == lanes.address[i - 1]) continue;
            most = std::max(most, ++words[static_cast<std::size_t>(lanes.address[i] % kBanks)]);
        }
        return most;
    }

    int m_threads;
    AccessCounts m_counts;
};

}  // namespace roofscope::kernels
