// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace roofscope::inject {

/// How long calls take, counted by the microsecond; from any thread. The median and not the mean:
/// a call that loads code, or that waits for room in a full queue, says nothing about the others.
class CallTimes {
public:
    void add(std::chrono::nanoseconds took);
    /// The median, to half a microsecond; absent without calls, and when most took longer than
    /// kLongest.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> median() const;

    static constexpr std::chrono::microseconds kLongest{200};

private:
    std::array<std::atomic<std::uint32_t>, kLongest.count() + 1> m_counts{};  ///< last: longer
};

}  // namespace roofscope::inject
