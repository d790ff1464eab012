// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace roofscope::program {

/// A stretch of a sequence that repeats itself: item i equals item i + length, as long as both lie
/// in [first, first + length × repeats).
struct Period {
    std::size_t first = 0;
    std::size_t length = 0;
    std::size_t repeats = 0;
};

/// Fewer repeats may be chance, and leave none once the first is left out.
inline constexpr std::size_t kLeastRepeats = 3;

/// The period whose repeats cover most of the sequence; of those that cover nearly as much the
/// shortest. Absent when none repeats kLeastRepeats times and covers half. Time is linear in the
/// sequence: lengths are tried only where a seldom item comes back.
[[nodiscard]] std::optional<Period> findPeriod(std::span<const std::uint32_t> sequence);

}  // namespace roofscope::program
