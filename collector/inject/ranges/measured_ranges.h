// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "collector/inject/ranges/range_tracker.h"

namespace roofscope::inject {

/// The NVTX ranges that are measured as a whole, or whose occurrences are recorded. A tracker
/// exists while a measurement needs one. Callers serialise calls, except those of tracker().
class MeasuredRanges {
public:
    explicit MeasuredRanges(SpoolWriter& spool) : m_spool(spool) {}

    /// Follows ranges from now on.
    void follow(RangeTracker::Options options, RangeTracker::Open open) {
        // Open ranges may still have tags of an earlier tracker, so continue its numbers.
        if (!m_all.empty()) options.lastTag = m_all.back()->lastTag();
        m_all.push_back(
            std::make_unique<RangeTracker>(m_spool, std::move(options), std::move(open)));
        m_now = m_all.back().get();
    }
    /// Delivers the results; ranges are no longer followed.
    void finish() {
        if (RangeTracker* const tracker = m_now.exchange(nullptr)) tracker->finish();
    }
    /// nullptr while no ranges are followed. Thread-safe.
    [[nodiscard]] RangeTracker* tracker() const { return m_now; }

private:
    SpoolWriter& m_spool;
    std::vector<std::unique_ptr<RangeTracker>> m_all;  ///< kept because a thread may still use one
    std::atomic<RangeTracker*> m_now{nullptr};
};

}  // namespace roofscope::inject
