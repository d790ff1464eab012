// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// Whether a counter is counted by instructions that CUPTI adds to the kernel (smsp__sass_…)
/// instead of by the hardware. The two kinds never share a pass.
[[nodiscard]] inline bool isInstrumented(std::string_view counter) {
    return counter.find("__sass_") != counter.npos;
}

/// How many times longer a launch takes while instrumented counters are read, which includes all
/// counters per source line: 240 times for a kernel of 75 ms, 250 times for one of 10 ms (one
/// H100).
inline constexpr double kInstrumentedSlowdown = 250;

/// Seconds of a launch from which on one counted launch is enough: longer ones vary little, and
/// each takes half a second while instrumented counters are read.
inline constexpr double kOneLaunchIsEnough = 2e-3;

/// Whether a launch is too long to count per instruction unless the user asks for it. Its warps can
/// still be sampled.
[[nodiscard]] inline bool isLongToInstrument(double seconds) {
    constexpr double kMost = 2;
    return seconds * kInstrumentedSlowdown > kMost;
}

}  // namespace roofscope
