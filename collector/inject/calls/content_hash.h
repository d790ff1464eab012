// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace roofscope::inject {

/// XXH64 (Yann Collet, https://xxhash.com) with seed 0, of bytes that come in pieces. Among a
/// million different contents of the same size, two have the same 64-bit hash in one of 4 × 10^7
/// recordings.
class ContentHash {
public:
    /// The next bytes: a multiple of kStripe, except for the last piece.
    void add(const void* bytes, std::size_t count);
    /// The hash of all bytes so far.
    [[nodiscard]] std::uint64_t value() const;
    static constexpr std::size_t kStripe = 32;

private:
    static constexpr std::uint64_t k1 = 0x9E3779B185EBCA87, k2 = 0xC2B2AE3D27D4EB4F,
                                   k3 = 0x165667B19E3779F9, k4 = 0x85EBCA77C2B2AE63,
                                   k5 = 0x27D4EB2F165667C5;
    std::uint64_t m_lanes[4] = {k1 + k2, k2, 0, 0 - k1};
    std::uint64_t m_total = 0;
    unsigned char m_tail[kStripe] = {};  ///< bytes of the last piece that do not fill a stripe
    std::size_t m_tailBytes = 0;
};

}  // namespace roofscope::inject
