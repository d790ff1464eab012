// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/idle_causes.h"

#include <algorithm>
#include <limits>

#include "analyzer/launches/launch_gaps.h"

namespace roofscope::program {
namespace {

/// Work that the CPU has issued begins soon on an idle GPU: in 33 of 34 recordings of programs,
/// what lies beyond 50 µs is at most 0.01 % of the time. Work that begins later waits for something
/// that no call shows: another program on the GPU, a callback on the host, an event of another GPU,
/// pages of managed memory (585 µs in the 34th).
constexpr Nanoseconds kBeginsWithin = 50'000;
/// A launch, or a call that allocates or frees, takes longer only where it loads code or sets up
/// CUDA.
constexpr Nanoseconds kLongestCall = 1'000'000;
constexpr auto kLongBreak = static_cast<Nanoseconds>(kLongestGap.value * 1e9);

/// Another profiler's call does not end a break.
bool isProgramsCall(const CpuStretch& stretch) { return stretch.kind != CallKind::Other; }

/// The class of a launch call while the GPU is idle; `synced`: the wait before it.
TimeClass launchClass(std::uint32_t synced) {
    return synced == kNoCall ? TimeClass::IdleLaunch : TimeClass::IdleSync;
}

/// A pageable copy to the host goes through a buffer of the driver, from which the CPU copies
/// after the GPU has finished. Returns when that ends; the start of `rest` for other copies.
Nanoseconds endOfStaging(const Transfer& moved, const TimeSpan& rest) {
    if (!isPageable(moved) || moved.kind != TransferKind::DeviceToHost ||
        static_cast<double>(moved.bytes) < kLeastCopy.value)
        return rest.start;
    // At 1 GB/s or more, into fresh memory: at most a nanosecond for each byte.
    const auto length = static_cast<std::uint64_t>(std::max<Nanoseconds>(0, rest.length()));
    return rest.start + static_cast<Nanoseconds>(std::min(moved.bytes, length));
}

}  // namespace

IdleCauses::IdleCauses(const AccountInput& input, const IssuingCalls& issuing, bool callsMayLoad,
                       const IdleSums& sums)
    : m_in(input),
      m_timeline(input.profile.timeline),
      m_issuing(issuing),
      m_callsMayLoad(callsMayLoad),
      m_sums(sums),
      m_allocations(input.threads) {
    if (launchesFromKernels(input.profile))
        m_unseenKernels.emplace(input.profile, input.lane, input.threads);
    for (std::size_t i = 0; i < input.threads.size(); ++i) m_byThread[input.threads[i].thread] = i;
}

void IdleCauses::explain(TimeSpan gap) {
    m_sums.idle.sampleFrom(std::nullopt);
    if (m_unseenKernels && isFollowed(gap)) {
        gap = afterUnseenKernels(gap);
        if (gap.length() == 0) return;
    }
    const IssuingCalls::Issuer next = m_issuing.before(gap.end);
    if (next.call == kNoCall) return m_sums.idle.spend(TimeClass::IdleUnknown, gap);
    gap = untilDue(gap, next.issued);
    // Issued before the gap: whatever the CPU does meanwhile, the GPU is about to begin.
    if (next.issued <= gap.start) return m_sums.idle.spend(TimeClass::IdleLaunch, gap);
    const auto place = m_byThread.find(m_timeline.calls[next.call].thread);
    if (place == m_byThread.end()) return m_sums.idle.spend(TimeClass::IdleUnknown, gap);
    if (m_in.samples) m_sums.idle.sampleFrom(place->first);
    followThread(m_in.threads[place->second], gap, next);
}

TimeSpan IdleCauses::afterUnseenKernels(TimeSpan gap) {
    const Nanoseconds over = m_unseenKernels->overBy(gap).value_or(gap.end);
    m_sums.idle.spend(TimeClass::IdleUnknown, {gap.start, over});
    return {over, gap.end};
}

TimeSpan IdleCauses::untilDue(TimeSpan gap, Nanoseconds issued) {
    if (issued >= gap.end) return gap;
    const Nanoseconds due = std::max(issued, gap.start) + kBeginsWithin;
    if (due >= gap.end) return gap;
    m_sums.idle.spend(TimeClass::IdleUnknown, {due, gap.end});
    return {gap.start, due};
}

IdleCauses::Before IdleCauses::lastCallBefore(const Stretches& stretches,
                                              Stretches::const_iterator next) const {
    while (next != stretches.begin()) {
        --next;
        if (!isProgramsCall(*next)) continue;
        return {.synced = waited(m_timeline, next->call) ? next->call : kNoCall,
                .end = next->time.end};
    }
    return {.end = std::numeric_limits<Nanoseconds>::min() / 2};
}

std::optional<std::uint32_t> IdleCauses::copiedBack(const Stretches& stretches,
                                                    Stretches::const_iterator next) const {
    constexpr int kMostCalls = 16;
    for (int i = 0; i < kMostCalls && next != stretches.begin(); ++i) {
        --next;
        if (!isProgramsCall(*next)) continue;
        const Transfer* const moved = movedBy(m_timeline, next->call);
        const bool back = moved && moved->kind == TransferKind::DeviceToHost;
        if (back && static_cast<double>(moved->bytes) >= kLeastCopy.value) return next->call;
        if (!back && issuesWork(next->kind)) break;
    }
    return std::nullopt;
}

void IdleCauses::followThread(const ThreadActivity& thread, const TimeSpan& gap,
                              const IssuingCalls::Issuer& issuer) {
    const Stretches& stretches = thread.stretches;
    auto next = std::ranges::upper_bound(stretches, gap.start, {},
                                         [](const CpuStretch& s) { return s.time.end; });
    Before before = lastCallBefore(stretches, next);
    auto breakEnds = std::find_if(next, stretches.end(), isProgramsCall);
    Nanoseconds at = gap.start;
    while (at < gap.end) {
        while (next != stretches.end() && next->time.end <= at) ++next;
        const bool last = next == stretches.end();
        // Outside of calls.
        const Nanoseconds until = last ? gap.end : std::clamp(next->time.start, at, gap.end);
        if (until > at) {
            // Once the work is issued the GPU is about to begin.
            const Nanoseconds own = std::clamp(issuer.issued, at, until);
            if (breakEnds < next) breakEnds = std::find_if(next, stretches.end(), isProgramsCall);
            const Nanoseconds end = breakEnds == stretches.end() ? gap.end : breakEnds->time.start;
            const bool hosts = own > at && end - before.end > kLongBreak;
            if (hosts) {
                m_sums.idle.spend(TimeClass::IdleHost, {at, own});
                m_sums.host.add(thread, {at, own});
                // After the last work of a whole run, nothing could run meanwhile; after that
                // of a repeat, the next repeat could.
                if (before.synced != kNoCall && (!m_in.window.window.isWhole() || isFollowed(gap)))
                    m_sums.host.addAfter(copiedBack(stretches, next).value_or(before.synced),
                                         own - at);
            } else {
                pause(before.synced, {at, own});
            }
            pause(before.synced, {own, until});
            at = until;
        }
        if (last || at >= gap.end) continue;
        const Nanoseconds end = std::min(next->time.end, gap.end);
        inCall(*next, {at, end}, before.synced);
        at = end;
        if (!isProgramsCall(*next)) continue;
        before.end = next->time.end;
        if (next->time.end > gap.end) continue;
        if (waited(m_timeline, next->call))
            before.synced = next->call;
        else if (next->call != issuer.call && issuesWork(next->kind))
            before.synced = kNoCall;
    }
}

bool IdleCauses::isFollowed(const TimeSpan& gap) const {
    return gap.end <= m_in.lane.activities.back().time.start;
}

void IdleCauses::pause(std::uint32_t synced, const TimeSpan& time) {
    if (time.length() <= 0) return;
    if (synced != kNoCall)
        m_sums.idle.spend(TimeClass::IdleSync, time, synced);
    else
        m_sums.idle.spend(TimeClass::IdleLaunch, time);
}

TimeSpan IdleCauses::withoutLoading(const CpuStretch& stretch, TimeSpan part) {
    const bool mayLoad = issuesWork(stretch.kind)
                             ? stretch.kind != CallKind::Transfer
                             : stretch.kind == CallKind::Allocate || stretch.kind == CallKind::Free;
    if (!m_callsMayLoad || !mayLoad) return part;
    const Nanoseconds latest = m_timeline.calls[stretch.call].time.start + kLongestCall;
    const Nanoseconds end = std::clamp(latest, part.start, part.end);
    m_sums.idle.spend(TimeClass::IdleUnknown, {end, part.end});
    return {part.start, end};
}

TimeSpan IdleCauses::afterAllocations(const CpuStretch& stretch, TimeSpan part,
                                      std::uint32_t synced) {
    for (const AllocationLock::Held& held : m_allocations.during(stretch, part)) {
        const TimeSpan before{part.start, held.time.start};
        if (stretch.kind == CallKind::Transfer)
            pause(synced, before);
        else
            inLaunch(stretch, before, synced);
        m_sums.idle.spend(TimeClass::IdleAlloc, held.time, held.call);
        part.start = held.time.end;
    }
    return part;
}

void IdleCauses::inLaunch(const CpuStretch& stretch, const TimeSpan& part, std::uint32_t synced) {
    if (part.length() <= 0) return;
    m_sums.tracing.addLaunch(launchClass(synced), stretch, part.length());
    if (synced == kNoCall)
        m_sums.idle.noteOneCall(TimeClass::IdleLaunch, stretch.call, part.length());
    pause(synced, part);
}

void IdleCauses::inCopy(const CpuStretch& stretch, TimeSpan part, std::uint32_t synced) {
    const Transfer* const moved = movedBy(m_timeline, stretch.call);
    if (!moved) return pause(synced, part);
    if (!isPageable(*moved)) part = afterAllocations(stretch, part, synced);
    const Nanoseconds split = std::clamp(moved->time.end, part.start, part.end);
    if (isPageable(*moved) && split > part.start) {
        m_sums.idle.spend(TimeClass::Copies, {part.start, split});
        m_sums.copies.of(*moved).exposed += split - part.start;
    } else {
        pause(synced, {part.start, split});
    }
    const Nanoseconds staged = endOfStaging(*moved, {split, part.end});
    if (staged > split) {
        m_sums.idle.spend(TimeClass::Copies, {split, staged});
        m_sums.copies.of(*moved).exposed += staged - split;
    }
    if (part.end > staged) m_sums.idle.spend(TimeClass::IdleSync, {staged, part.end}, stretch.call);
}

void IdleCauses::inCall(const CpuStretch& stretch, TimeSpan part, std::uint32_t synced) {
    part = withoutLoading(stretch, part);
    switch (stretch.kind) {
        case CallKind::Load:
            return m_sums.idle.spend(TimeClass::IdleLoad, part, stretch.call);
        case CallKind::Allocate:
        case CallKind::Free:
            m_sums.idle.noteOneCall(TimeClass::IdleAlloc, stretch.call, part.length());
            return m_sums.idle.spend(TimeClass::IdleAlloc, part, stretch.call);
        case CallKind::Wait:
            return m_sums.idle.spend(TimeClass::IdleSync, part, stretch.call);
        case CallKind::Transfer:
            return inCopy(stretch, part, synced);
        case CallKind::Launch:
        case CallKind::GraphLaunch:
            return inLaunch(stretch, afterAllocations(stretch, part, synced), synced);
        case CallKind::Graph:
            return pause(synced, part);
        case CallKind::Other:  // another profiler held the program up
            return m_sums.idle.spend(TimeClass::IdleUnknown, part);
    }
}

}  // namespace roofscope::program
