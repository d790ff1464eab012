// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "collector/cupti/cupti_api.h"
#include "collector/spool/records.h"

namespace roofscope::inject {

/// Time since the process was created (not since its last exec()), in steps of 10 ms: absent
/// without /proc.
[[nodiscard]] std::optional<std::chrono::nanoseconds> ageOfProcess();

/// Notes when the process began, and its first moments on the GPU, for the account of the whole
/// run. May be called from any thread.
class RunTimes {
public:
    using Clock = std::chrono::steady_clock;

    explicit RunTimes(const CuptiApi& cupti) : m_cupti(cupti) {}

    /// The recorder's set-up began at `since` and has ended now.
    void setUp(Clock::time_point since);
    void contextCreated() { note(m_firstContext); }
    void launching() { note(m_firstLaunch); }
    /// Counting has ended, and timing begins.
    void counted() { note(m_countedUntil); }
    /// The record to write at the end of the process; absent if the time of its start is unknown.
    [[nodiscard]] std::optional<spool::RunRecord> untilNow() const;

private:
    using Moment = std::atomic<std::uint64_t>;  // by CUPTI's clock; 0: not yet
    [[nodiscard]] std::uint64_t now() const;
    void note(Moment& moment) const {
        if (moment.load(std::memory_order_relaxed) == 0) noteFirst(moment);
    }
    void noteFirst(Moment& moment) const;

    const CuptiApi& m_cupti;
    std::uint64_t m_start = 0, m_setupStart = 0, m_setupEnd = 0;
    Moment m_firstContext{0}, m_firstLaunch{0}, m_countedUntil{0};
};

}  // namespace roofscope::inject
