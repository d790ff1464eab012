// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace roofscope::kernels {

/// SplitMix64 (Steele, Lea, Flood 2014): small, fast and the same on every platform, so that a seed
/// gives the same inputs everywhere. Different tensors of a case use different streams.
class RandomValues {
public:
    RandomValues(std::uint64_t seed, std::uint64_t stream)
        : m_state(seed * 0x9E3779B97F4A7C15u + stream * 0xD1B54A32D192ED03u) {}

    [[nodiscard]] std::uint64_t bits() {
        std::uint64_t z = (m_state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// Uniform in [low, high).
    [[nodiscard]] float uniform(float low, float high) {
        return low + (high - low) * (static_cast<float>(bits() >> 40) * 0x1p-24F);
    }
    [[nodiscard]] std::vector<float> floats(std::size_t count, float low, float high) {
        std::vector<float> values(count);
        for (float& value : values) value = uniform(low, high);
        return values;
    }
    /// Bytes from 0 to 127: the poison pattern (255) never occurs.
    [[nodiscard]] std::vector<std::uint8_t> bytes(std::size_t count) {
        std::vector<std::uint8_t> values(count);
        for (std::size_t i = 0; i < count; i += 8) {
            const std::uint64_t word = bits() & 0x7F7F7F7F7F7F7F7Fu;
            std::memcpy(values.data() + i, &word, count - i < 8 ? count - i : 8);
        }
        return values;
    }

private:
    std::uint64_t m_state;
};

}  // namespace roofscope::kernels
