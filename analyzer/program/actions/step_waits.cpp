// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/step_waits.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/numbers/median.h"
#include "analyzer/program/account/issuing_calls.h"
#include "analyzer/program/window/activity.h"

namespace roofscope::program {
namespace {

/// Follows a thread call by call, and counts the waits within windows.
class WaitCounter {
public:
    WaitCounter(const Timeline& timeline, std::size_t windows)
        : m_timeline(timeline), m_waits(windows), m_apart(windows) {}

    /// `window`: the one that the call is in. Other calls say what there is to wait for.
    void take(const CpuStretch& call, std::optional<std::size_t> window) {
        m_window = window;
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
                if (copied && window) m_copies += call.time.start - *copied;
                return wait();
            default:  // allocations and loading issue nothing
                m_copied = copied;
                break;
        }
    }
    [[nodiscard]] StepWaits perWindow() const {
        const auto windows = static_cast<double>(m_waits.size());
        return {.waits = medianOf(m_waits),
                .apart = medianOf(m_apart),
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
        if (m_window) m_waits[*m_window] += 1;
        if (m_window && m_launched) m_apart[*m_window] += 1;
        m_launched = false;
        m_done = true;
    }

    const Timeline& m_timeline;
    std::vector<double> m_waits, m_apart;  ///< by window
    Nanoseconds m_copies = 0;
    std::optional<Nanoseconds> m_copied;  ///< when a copy back began that the CPU can wait for
    std::optional<std::size_t> m_window;
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
    const auto& windows = lane.occurrences;
    WaitCounter counter(profile.timeline, windows.size());
    std::size_t window = 0;
    for (const CpuStretch& call : busiestOf(threads).stretches) {
        while (window < windows.size() && windows[window].end <= call.time.start) ++window;
        if (window == windows.size()) break;
        const bool inside = call.time.start >= windows[window].start;
        counter.take(call, inside ? std::optional(window) : std::nullopt);
    }
    return counter.perWindow();
}

}  // namespace roofscope::program
