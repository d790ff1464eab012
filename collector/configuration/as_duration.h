// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace roofscope {

/// Seconds as a duration of the steady clock, limited to about 30 years so that adding it to a time
/// does not overflow.
[[nodiscard]] inline std::chrono::steady_clock::duration asDuration(double seconds) {
    constexpr double kLongest = 1e9;
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(std::min(seconds, kLongest)));
}

}  // namespace roofscope
