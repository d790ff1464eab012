// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace roofscope::inject {

/// How long calls take, counted in steps of a microsecond. Thread-safe. It gives the
/// median, not the mean: a call that loads code, or waits for room in a full queue, says
/// nothing about the others.
class CallTimes {
public:
    void add(std::chrono::nanoseconds took);
    /// The median, to half a microsecond; absent without calls, or if most
    /// took longer than kLongest.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> median() const;

    static constexpr std::chrono::microseconds kLongest{200};

private:
    /// The last one: longer.
    std::array<std::atomic<std::uint32_t>, kLongest.count() + 1> m_counts{};
};

}  // namespace roofscope::inject
