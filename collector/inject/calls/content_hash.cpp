// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/content_hash.h"

#include <bit>
#include <cstring>

namespace roofscope::inject {
namespace {

/// Little-endian, as all hosts of CUDA are.
template <class Word>
std::uint64_t wordAt(const unsigned char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

}  // namespace

void ContentHash::add(const void* bytes, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    m_total += count;
    for (; count >= kStripe; count -= kStripe)
        for (std::uint64_t& lane : m_lanes) {
            lane = std::rotl(lane + wordAt<std::uint64_t>(at) * k2, 31) * k1;
            at += 8;
        }
    if (count > 0) std::memcpy(m_tail, at, count);
    m_tailBytes = count;
}

std::uint64_t ContentHash::value() const {
    const auto round = [](std::uint64_t lane, std::uint64_t word) {
        return std::rotl(lane + word * k2, 31) * k1;
    };
    std::uint64_t hash = k5;
    if (m_total >= kStripe) {
        hash = std::rotl(m_lanes[0], 1) + std::rotl(m_lanes[1], 7) + std::rotl(m_lanes[2], 12) +
               std::rotl(m_lanes[3], 18);
        for (const std::uint64_t lane : m_lanes) hash = (hash ^ round(0, lane)) * k1 + k4;
    }
    hash += m_total;
    const unsigned char *at = m_tail, *end = m_tail + m_tailBytes;
    for (; end - at >= 8; at += 8)
        hash = std::rotl(hash ^ round(0, wordAt<std::uint64_t>(at)), 27) * k1 + k4;
    if (end - at >= 4) {
        hash = std::rotl(hash ^ (wordAt<std::uint32_t>(at) * k1), 23) * k2 + k3;
        at += 4;
    }
    for (; at != end; ++at) hash = std::rotl(hash ^ (*at * k5), 11) * k1;
    hash = (hash ^ (hash >> 33)) * k2;
    hash = (hash ^ (hash >> 29)) * k3;
    return hash ^ (hash >> 32);
}

}  // namespace roofscope::inject
