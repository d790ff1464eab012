// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace roofscope::program {

/// A repeating stretch of a sequence: within [first, first + length × repeats) item i equals item i
/// + length, with few exceptions. A library may take another of its kernels in some turns, because
/// for instance a copy of an odd number of elements is not vectorised.
struct Period {
    std::size_t first = 0;
    std::size_t length = 0;
    std::size_t repeats = 0;
};

/// Fewer repeats may be chance, and leave too few once the first is left out.
inline constexpr std::size_t kLeastRepeats = 3;

/// The least that a period must cover to count as the program's loop: a quarter of the launches,
/// and half of those from the period's first launch on. Before a loop, a program prepares, for
/// instance with trials of its libraries.
struct LeastCover {
    double ofAll = 0.25, ofRest = 0.5;
};

/// The period whose repeats cover most of the sequence; of those that cover nearly as much, the
/// shortest. A period of 24 or more items may have a few mismatches if it then covers far more.
/// Absent if none repeats kLeastRepeats times and covers this much. Takes linear time, because few
/// lengths are tried: those at which a rare item recurs and, if none of these is a period, those at
/// which one recurs most.
[[nodiscard]] std::optional<Period> findPeriod(std::span<const std::uint32_t> sequence,
                                               const LeastCover& least = {});

/// All stretches in which `length` items repeat kLeastRepeats times or more, ascending, without
/// overlap; with mismatches as in findPeriod().
[[nodiscard]] std::vector<Period> periodsOf(std::span<const std::uint32_t> sequence,
                                            std::size_t length);

/// Where the smallest units of a period begin in the sequence, ascending. Usually that is each turn
/// of the period. If a turn is a few rounds that are nearly the same (four images of slightly
/// different content), it is each round. If nearly all of a turn is one short sequence repeated
/// hundreds of times (the sweeps of a solver's time step), it is each of these. The dozens of
/// layers of a network stay part of their step.
[[nodiscard]] std::vector<std::size_t> startsOfTurns(std::span<const std::uint32_t> sequence,
                                                     const Period& period);

}  // namespace roofscope::program
