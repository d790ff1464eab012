// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace roofscope::program {

/// A stretch of a sequence that repeats itself: within [first, first + length × repeats) item i
/// equals item i + length, but for few. A library may take another of its kernels in some turns: a
/// copy of an odd number of elements is not vectorised.
struct Period {
    std::size_t first = 0;
    std::size_t length = 0;
    std::size_t repeats = 0;
};

/// Fewer repeats may be chance, and leave none once the first is left out.
inline constexpr std::size_t kLeastRepeats = 3;

/// The period whose repeats cover most of the sequence; of those that cover nearly as much the
/// shortest. One of 24 items and more may have few that differ from turn to turn, where that
/// covers far more. Absent when none repeats kLeastRepeats times and covers a quarter of the
/// sequence and half of what follows its first item: before a loop a program prepares it, with
/// trials of its libraries for instance. Time is linear in the sequence: lengths are tried only
/// where a seldom item comes back.
[[nodiscard]] std::optional<Period> findPeriod(std::span<const std::uint32_t> sequence);

/// Where the smallest units of a period begin, in the sequence, ascending: of each turn of the
/// period its start; where a turn is a few rounds that are nearly the same (four images of
/// slightly different content) the start of each round; where nearly all of a turn is one short
/// sequence hundreds of times over (the sweeps of a solver's time step) each of these. Layers of a
/// network, which are dozens, stay a part of their step.
[[nodiscard]] std::vector<std::size_t> startsOfTurns(std::span<const std::uint32_t> sequence,
                                                     const Period& period);

}  // namespace roofscope::program
