// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Functions that keep the CPU busy, for tests of samples: 50, 30 and 20 % of a round's time. They
/// are compiled twice, with and without lines (-g), under two names.
struct SpinTimes {
    std::uint64_t fifty = 0, thirty = 0, twenty = 0;  ///< ns that each of them really took
};
namespace spin_with_lines {
void round(std::uint64_t ns, SpinTimes& took);
}
namespace spin_without_lines {
void round(std::uint64_t ns, SpinTimes& took);
}
