// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/call_times.h"

#include <algorithm>
#include <numeric>

namespace roofscope::inject {

void CallTimes::add(std::chrono::nanoseconds took) {
    const std::int64_t us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    const std::int64_t longer = kLongest.count();
    ++m_counts[static_cast<std::size_t>(std::clamp<std::int64_t>(us, 0, longer))];
}

std::optional<std::chrono::nanoseconds> CallTimes::median() const {
    constexpr std::chrono::nanoseconds kMicrosecond{1000};
    const auto all = std::accumulate(m_counts.begin(), m_counts.end(), std::uint64_t{0});
    std::uint64_t seen = 0;
    for (std::size_t us = 0; us + 1 < m_counts.size(); ++us) {
        seen += m_counts[us];
        if (seen > 0 && 2 * seen >= all) return us * kMicrosecond + kMicrosecond / 2;
    }
    return std::nullopt;
}

}  // namespace roofscope::inject
