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

/// Follows a thread call by call, and counts the waits within windows.
class WaitCounter {
public:
    explicit WaitCounter(const Timeline& timeline) : m_timeline(timeline) {}

    /// `counts`: the call is in a window. The others say what there is to wait for.
    void take(const CpuStretch& call, bool counts) {
        m_counts = counts;
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
                if (copied && counts) m_copies += call.time.start - *copied;
                return wait();
            default:  // allocations and loading issue nothing
                m_copied = copied;
                break;
        }
    }
    [[nodiscard]] StepWaits perWindow(double windows) const {
        return {.waits = m_waits / windows,
                .apart = m_apart / windows,
                .copies = Seconds{static_cast<double>(m_copies) / 1e9 / windows}};
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
        if (m_counts) m_waits += 1;
        if (m_counts && m_launched) m_apart += 1;
        m_launched = false;
        m_done = true;
    }

    const Timeline& m_timeline;
    double m_waits = 0, m_apart = 0;
    Nanoseconds m_copies = 0;
    std::optional<Nanoseconds> m_copied;  ///< when a copy back began that the CPU can wait for
    bool m_counts = false;
    bool m_launched = false;  ///< since the last wait
    bool m_done = false;      ///< there is nothing new to wait for
};

}  // namespace

bool StepWaits::areWithin() const {
    // A step that reads a result and waits at its end, as for a time, has two.
    constexpr double kSeveral = 3, kPlaces = 2;
    return waits >= kSeveral && apart >= kPlaces;
}

StepWaits stepWaits(const Profile& profile, const Lane& lane) {
    const std::vector<ThreadActivity> threads = threadActivities(profile, lane.processes);
    if (threads.empty() || lane.occurrences.empty()) return {};
    // The CPU may be ahead of the GPU: a window can begin between a copy and its wait.
    WaitCounter counter(profile.timeline);
    auto window = lane.occurrences.begin();
    for (const CpuStretch& call : busiestOf(threads).stretches) {
        while (window != lane.occurrences.end() && window->end <= call.time.start) ++window;
        if (window == lane.occurrences.end()) break;
        counter.take(call, call.time.start >= window->start);
    }
    return counter.perWindow(static_cast<double>(lane.occurrences.size()));
}

}  // namespace roofscope::program
