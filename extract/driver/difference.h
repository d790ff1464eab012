// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "extract/driver/launch_description.h"
#include "extract/driver/launch_memory.h"
#include "extract/driver/number_type.h"

namespace roofscope::replay {

/// How memory after a run differs from what the original left there.
struct Difference {
    struct Place {
        std::size_t region = 0;
        std::uint64_t offset = 0;
    };
    std::uint64_t wrong = 0;      ///< bytes that the original writes and that have another value
    std::uint64_t tolerated = 0;  ///< differing bytes of numbers within the tolerance
    std::uint64_t outside = 0;    ///< bytes that the original does not write
    std::uint64_t nan = 0;        ///< numbers out of tolerance that are NaN
    double worst = 0;             ///< largest relative difference among tolerated numbers
    std::optional<Place> firstWrong, firstOutside;
    std::optional<std::uint64_t> gap;  ///< address between allocations that was written

    [[nodiscard]] bool none() const { return wrong == 0 && outside == 0 && !gap; }
};

/// How results are compared.
struct Comparison {
    NumberType type = NumberType::Bytes;
    Tolerance tolerance;  ///< for all numbers
    Tolerance varying;    ///< for numbers that vary from run to run, where it is larger
};

/// Compares one chunk with its expected contents.
inline void compareChunk(const LaunchMemory::Region& region, std::size_t r, std::uint64_t chunk,
                         const unsigned char* got, const Comparison& how, Difference& found) {
    const unsigned char* const expected = region.expected(chunk);
    const std::size_t bytes = region.flags.chunkBytes(chunk);
    if (std::memcmp(got, expected, bytes) == 0) return;
    const unsigned char* const flags = region.flags.of(chunk);
    const std::size_t size = sizeOf(how.type);
    const std::uint64_t start = chunk * kChunkBytes;
    for (std::size_t i = 0; i < bytes;) {
        if (got[i] == expected[i]) {
            ++i;
            continue;
        }
        if (!flags || !(flags[i] & kWritten)) {
            if (!found.firstOutside) found.firstOutside = {r, start + i};
            ++found.outside;
            ++i;
            continue;
        }
        // Allocations begin at multiples of 256 bytes, so numbers do not cross chunks.
        const std::size_t first = i / size * size, end = std::min(first + size, bytes);
        std::uint64_t differ = 0;
        for (std::size_t k = i; k < end; ++k) differ += got[k] != expected[k];
        bool holds = false;
        if (how.type != NumberType::Bytes && end - first == size) {
            const double a = numberAt(how.type, got + first);
            const double b = numberAt(how.type, expected + first);
            holds = how.tolerance.holds(a, b) || ((flags[i] & kVaries) && how.varying.holds(a, b));
            if (holds && b != 0)
                found.worst = std::max(found.worst, std::fabs(a - b) / std::fabs(b));
            if (!holds && std::isnan(a)) ++found.nan;
        }
        if (holds) {
            found.tolerated += differ;
        } else {
            if (!found.firstWrong) found.firstWrong = {r, start + first};
            found.wrong += differ;
        }
        i = end;
    }
}

/// Compares all memory of the launch, or (`writtenOnly`) only what the original writes.
inline Difference compareMemory(LaunchMemory& memory, const ReplayedKernel& kernel,
                                bool writtenOnly, const Comparison& how) {
    Difference found;
    memory.read(kernel, writtenOnly, [&](std::size_t r, std::uint64_t c, const unsigned char* got) {
        compareChunk(memory.regions()[r], r, c, got, how, found);
    });
    if (!writtenOnly) found.gap = memory.damagedGap();
    return found;
}

/// A place in readable form: "argument 2 + 0x40".
[[nodiscard]] inline std::string placeWords(const LaunchDescription& launch,
                                            const LaunchMemory& memory,
                                            const Difference::Place& place) {
    const auto hex = [](std::uint64_t value) {
        char text[32];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
        return std::string(text);
    };
    const LaunchMemory::Region& region = memory.regions()[place.region];
    if (!region.variable.empty()) return region.variable + " + " + hex(place.offset);
    const std::uint64_t address = region.address + place.offset;
    std::uint64_t nearest = 0;
    std::size_t argument = 0;
    for (std::size_t p = 0; p < launch.parameters.size(); ++p) {
        const auto& bytes = launch.parameters[p].bytes;
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, 8);
            if (word >= region.address && word <= address && word > nearest) {
                nearest = word;
                argument = p;
            }
        }
    }
    if (nearest == 0) return "address " + hex(address);
    return "argument " + std::to_string(argument) + " + " + hex(address - nearest);
}

}  // namespace roofscope::replay
