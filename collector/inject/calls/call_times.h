// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace roofscope::inject {

/// How long calls take, as a histogram in steps of one microsecond. Thread-safe. It gives the
/// median instead of the mean, because a call that loads code or waits for room in a full queue is
/// not typical.
class CallTimes {
public:
    void add(std::chrono::nanoseconds took);
    /// The median, to half a microsecond; absent without calls, or if most
    /// took longer than kLongest.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> median() const;

    static constexpr std::chrono::microseconds kLongest{200};

private:
    /// The last entry counts the calls that took longer than kLongest.
    std::array<std::atomic<std::uint32_t>, kLongest.count() + 1> m_counts{};
};

}  // namespace roofscope::inject
