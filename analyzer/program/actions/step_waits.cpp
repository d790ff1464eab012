// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/step_waits.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/program/account/issuing_calls.h"
#include "analyzer/program/window/activity.h"

namespace roofscope::program {
namespace {

/// Counts the waits of one window, call by call.
class WaitCounter {
public:
    explicit WaitCounter(const Timeline& timeline) : m_timeline(timeline) {}

    void take(const CpuStretch& call) {
        const std::optional<Nanoseconds> copied = std::exchange(m_copied, std::nullopt);
        switch (call.kind) {
            case CallKind::Launch:
            case CallKind::GraphLaunch:
                m_launched = true;
                m_done = false;
                break;
            case CallKind::Transfer:
                return copy(call);
            case CallKind::Wait:
                if (copied) m_copies += call.time.start - *copied;
                return wait();
            default:  // allocations and loading issue nothing
                m_copied = copied;
                break;
        }
    }
    void addTo(StepWaits& all) const {
        all.waits += m_waits;
        all.apart += m_apart;
        all.copies += Seconds{static_cast<double>(m_copies) / 1e9};
    }

private:
    void copy(const CpuStretch& call) {
        const Transfer* const moved = movedBy(m_timeline, call.call);
        const bool back = moved && moved->kind == TransferKind::DeviceToHost;
        // Of a copy to the GPU, the memory is what makes the program wait.
        m_done = moved && moved->kind == TransferKind::HostToDevice;
        if (!back) return;
        if (waited(m_timeline, call.call)) return wait();
        m_copied = call.time.start;
    }
    void wait() {
        if (m_done) return;
        m_waits += 1;
        if (m_launched) m_apart += 1;
        m_launched = false;
        m_done = true;
    }

    const Timeline& m_timeline;
    double m_waits = 0, m_apart = 0;
    Nanoseconds m_copies = 0;
    std::optional<Nanoseconds> m_copied;  ///< when a copy back began that the CPU can wait for
    bool m_launched = false;              ///< since the last wait
    bool m_done = false;                  ///< there is nothing new to wait for
};

}  // namespace

bool StepWaits::areWithin() const {
    // A step that reads a result and waits at its end, as for a time, has two.
    constexpr double kSeveral = 3, kPlaces = 2;
    return waits >= kSeveral && apart >= kPlaces;
}

StepWaits stepWaits(const Profile& profile, const Lane& lane) {
    StepWaits all;
    const std::vector<ThreadActivity> threads = threadActivities(profile, lane.processes);
    if (threads.empty() || lane.occurrences.empty()) return all;
    const auto& stretches = busiestOf(threads).stretches;
    auto next = stretches.begin();
    for (const TimeSpan& window : lane.occurrences) {
        next = std::find_if(next, stretches.end(), [&](const CpuStretch& call) {
            return call.time.start >= window.start;
        });
        WaitCounter counter(profile.timeline);
        for (; next != stretches.end() && next->time.start < window.end; ++next)
            counter.take(*next);
        counter.addTo(all);
    }
    const auto windows = static_cast<double>(lane.occurrences.size());
    return {
        .waits = all.waits / windows, .apart = all.apart / windows, .copies = all.copies / windows};
}

}  // namespace roofscope::program
