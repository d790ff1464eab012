// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "analyzer/over_time/over_time_analysis.h"

/// How facts are found in a curve. Its SMs, DRAM and issue slots are known in every interval.
namespace roofscope {

/// A shorter stretch may be nothing but one odd interval at each end.
inline constexpr std::size_t kLeastStretch = 3;

/// A resource below this share of its roof does not limit a kernel, so changes of its use say
/// nothing.
inline constexpr double kCounts = 0.2;

/// The highest value that is held for kLeastStretch intervals; 0 for a shorter curve.
template <class Value>
[[nodiscard]] double sustained(std::span<const OverTimeInterval> curve, const Value& value) {
    double best = 0;
    for (std::size_t i = 0; i + kLeastStretch <= curve.size(); ++i) {
        double least = value(curve[i].activity);
        for (std::size_t j = 1; j < kLeastStretch; ++j)
            least = std::min(least, value(curve[i + j].activity));
        best = std::max(best, least);
    }
    return best;
}

/// tail.cpp: the steady part and what follows it.
void findTail(OverTimeAnalysis& life, const Quantities& quantities, std::span<const Roof> roofs,
              std::uint32_t device);
/// slow_start.cpp
[[nodiscard]] std::optional<SlowStart> findSlowStart(const OverTimeAnalysis& life, double l2Roof);
/// The theoretical bandwidth of a level in bytes per second, 0 where it is not known.
[[nodiscard]] double theoreticalRoof(std::span<const Roof> roofs, Level level,
                                     std::uint32_t device);
/// phases.cpp
[[nodiscard]] std::optional<Phases> findPhases(const OverTimeAnalysis& life);

}  // namespace roofscope
