// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/gpu_work.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>

namespace roofscope::program {
namespace {

/// What can be open on a GPU at a time: copies of each slot, then kernels, communication, and the
/// window itself.
constexpr std::size_t kKernelSlot = CopySums::kSlots, kCommunicationSlot = kKernelSlot + 1,
                      kWindowSlot = kKernelSlot + 2;
using OpenSlots = std::array<std::size_t, kWindowSlot + 1>;

bool beginsInWindow(const FoundWindow& window, Nanoseconds at) {
    const auto after = std::ranges::upper_bound(window.spans, at, {}, &TimeSpan::start);
    return after != window.spans.begin() && at < std::prev(after)->end;
}

/// Goes along the clock and counts what is open.
class GpuSweep {
public:
    GpuSweep(const AccountInput& input, bool copiesKnown, TimeByClass& times)
        : m_in(input), m_copiesKnown(copiesKnown), m_times(times) {}

    GpuWork run() {
        auto window = m_in.window.spans.begin();
        for (const Activity& a : m_in.lane.activities) {
            for (; window != m_in.window.spans.end() && window->start <= a.time.start; ++window)
                begin(*window, kWindowSlot);
            if (a.kind != Activity::Kind::Transfer)
                begin(a.time, a.kind == Activity::Kind::Kernel ? kKernelSlot : kCommunicationSlot);
            else if (m_copiesKnown)
                beginCopy(a);
        }
        for (; window != m_in.window.spans.end(); ++window) begin(*window, kWindowSlot);
        endUntil(std::numeric_limits<Nanoseconds>::max());
        return std::move(m_work);
    }

private:
    void beginCopy(const Activity& activity) {
        const Transfer& t = m_in.profile.timeline.transfers[activity.row];
        begin(activity.time, CopySums::slotOf(t));
        if (!beginsInWindow(m_in.window, activity.time.start)) return;
        CopySum& sum = m_work.copies.of(t);
        ++sum.count;
        sum.bytes += static_cast<double>(t.bytes);
    }

    void begin(const TimeSpan& span, std::size_t slot) {
        if (span.length() == 0) return;
        endUntil(span.start);
        advance(span.start);
        ++m_open[slot];
        m_ends.emplace(span.end, slot);
    }

    void endUntil(Nanoseconds time) {
        for (; !m_ends.empty() && m_ends.top().first <= time; m_ends.pop()) {
            advance(m_ends.top().first);
            --m_open[m_ends.top().second];
        }
    }

    void advance(Nanoseconds to) {
        if (to > m_from && m_open[kWindowSlot] > 0) spend({m_from, to});
        m_from = to;
    }

    /// Gives a stretch of the window to what is open during it.
    void spend(const TimeSpan& time) {
        const Nanoseconds length = time.length();
        const bool kernel = m_open[kKernelSlot] > 0, communication = m_open[kCommunicationSlot] > 0;
        std::optional<std::size_t> copy;
        for (std::size_t slot = 0; slot < CopySums::kSlots; ++slot) {
            if (m_open[slot] == 0) continue;
            if (!copy) copy = slot;
            m_work.copies[slot].time += length;
        }
        if (kernel)
            m_times.add(TimeClass::Kernels, time);
        else if (communication)
            m_times.add(TimeClass::Communication, time);
        else if (copy)
            m_times.add(TimeClass::Copies, time);
        else
            addGap(time);
        if (copy && (kernel || communication)) m_work.hiddenCopies += length;
        if (copy && !kernel && !communication) m_work.copies[*copy].exposed += length;
        if (kernel && communication) m_work.hiddenCommunication += length;
    }

    void addGap(const TimeSpan& time) {
        auto& gaps = m_work.gaps;
        if (!gaps.empty() && gaps.back().end == time.start && !m_times.boundary(time.start))
            gaps.back().end = time.end;
        else
            gaps.push_back(time);
    }

    const AccountInput& m_in;
    const bool m_copiesKnown;
    TimeByClass& m_times;
    using End = std::pair<Nanoseconds, std::size_t>;  // when, and which slot
    std::priority_queue<End, std::vector<End>, std::greater<>> m_ends;
    OpenSlots m_open{};
    Nanoseconds m_from = 0;
    GpuWork m_work;
};

}  // namespace

std::size_t CopySums::slotOf(const Transfer& transfer) {
    return static_cast<std::size_t>(transfer.kind) * 2 + (isPageable(transfer) ? 1 : 0);
}

std::vector<CopyTime> CopySums::perWindow(double occurrences) const {
    const auto seconds = [&](Nanoseconds ns) {
        return Seconds{static_cast<double>(ns) / 1e9 / occurrences};
    };
    std::vector<CopyTime> copies;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
        const CopySum& sum = m_sums[slot];
        if (sum.count == 0) continue;
        copies.push_back({.kind = static_cast<TransferKind>(slot / 2),
                          .pageable = slot % 2 == 1,
                          .count = sum.count,
                          .bytes = {sum.bytes / occurrences},
                          .time = seconds(sum.time),
                          .exposed = seconds(sum.exposed)});
    }
    std::ranges::stable_sort(copies, std::greater{}, &CopyTime::exposed);
    return copies;
}

GpuWork gpuWorkOf(const AccountInput& input, bool copiesKnown, TimeByClass& times) {
    return GpuSweep(input, copiesKnown, times).run();
}

std::vector<SizedCopies> copiesToGpu(const AccountInput& input, const IssuingCalls& issuing,
                                     double occurrences) {
    const Timeline& timeline = input.profile.timeline;
    std::map<std::uint64_t, CopySum> bySize;
    for (const Activity& a : input.lane.activities) {
        if (a.kind != Activity::Kind::Transfer || !beginsInWindow(input.window, a.time.start))
            continue;
        const Transfer& t = timeline.transfers[a.row];
        if (t.kind != TransferKind::HostToDevice || t.bytes < kLeastHostCopy) continue;
        CopySum& sum = bySize[t.bytes];
        sum.bytes += static_cast<double>(t.bytes);
        Nanoseconds start = a.time.start;
        if (const std::uint32_t call = issuing.ofTransfer(a.row); isPageable(t) && call != kNoCall)
            start = std::min(start, timeline.calls[call].time.start);
        sum.time += a.time.end - start;
    }
    std::vector<SizedCopies> copies;
    for (const auto& [bytes, sum] : bySize)
        copies.push_back({.bytes = bytes,
                          .all = {sum.bytes / occurrences},
                          .time = {static_cast<double>(sum.time) / 1e9 / occurrences}});
    return copies;
}

}  // namespace roofscope::program
