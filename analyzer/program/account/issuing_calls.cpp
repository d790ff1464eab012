// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/issuing_calls.h"

#include <algorithm>
#include <iterator>

namespace roofscope::program {

CallKind kindOf(const Timeline& timeline, std::uint32_t call) {
    return timeline.callNames[timeline.calls[call].name].kind;
}

const Transfer* movedBy(const Timeline& timeline, std::uint32_t call) {
    const auto& work = timeline.calls[call].work;
    return kindOf(timeline, call) == CallKind::Transfer && work ? &timeline.transfers[*work]
                                                                : nullptr;
}

bool waited(const Timeline& timeline, std::uint32_t call) {
    if (kindOf(timeline, call) == CallKind::Wait) return true;
    const Transfer* const moved = movedBy(timeline, call);
    return moved && timeline.calls[call].time.end >= moved->time.end;
}

bool isPageable(const Transfer& transfer) {
    return transfer.source == MemoryKind::Pageable || transfer.target == MemoryKind::Pageable;
}

IssuingCalls::IssuingCalls(const Profile& profile, const LaneActivity& lane,
                           const std::vector<ThreadActivity>& threads)
    : m_profile(&profile), m_lane(&lane) {
    const Timeline& timeline = profile.timeline;
    m_ofLaunch.assign(profile.launches.size(), kNoCall);
    m_ofTransfer.assign(timeline.transfers.size(), kNoCall);
    for (const ThreadActivity& thread : threads)
        for (const std::uint32_t i : thread.issues) {
            const Call& call = timeline.calls[i];
            if (!call.work) continue;
            const bool transfer = kindOf(timeline, i) == CallKind::Transfer;
            (transfer ? m_ofTransfer : m_ofLaunch)[*call.work] = i;
        }
    for (const ThreadActivity& thread : threads)
        m_issues.insert(m_issues.end(), thread.issues.begin(), thread.issues.end());
    std::ranges::stable_sort(m_issues, {},
                             [&](std::uint32_t i) { return timeline.calls[i].time.start; });
    std::ranges::copy_if(m_issues, std::back_inserter(m_graphLaunches), [&](std::uint32_t i) {
        return kindOf(timeline, i) == CallKind::GraphLaunch;
    });
}

IssuingCalls::Issuer IssuingCalls::before(Nanoseconds at) const {
    const Timeline& timeline = m_profile->timeline;
    const auto& activities = m_lane->activities;
    bool begins = false, ofGraph = false;
    for (auto next = std::ranges::lower_bound(activities, at, {},
                                              [](const Activity& a) { return a.time.start; });
         next != activities.end() && next->time.start == at; ++next) {
        const std::uint32_t call = next->kind == Activity::Kind::Transfer ? m_ofTransfer[next->row]
                                                                          : m_ofLaunch[next->row];
        begins = true;
        ofGraph = ofGraph || isOfGraph(*next);
        if (call != kNoCall) return {call, timeline.calls[call].time.end};
    }
    if (begins && m_profile->capture.origin == "imported")
        return ofGraph ? graphLaunchBefore(at) : Issuer{};
    const auto after = std::ranges::upper_bound(
        m_issues, at, {}, [&](std::uint32_t i) { return timeline.calls[i].time.start; });
    if (after == m_issues.begin()) return {};
    const std::uint32_t latest = *std::prev(after);
    return {latest,
            begins ? timeline.calls[latest].time.end : std::numeric_limits<Nanoseconds>::max()};
}

bool IssuingCalls::isOfGraph(const Activity& activity) const {
    return activity.kind == Activity::Kind::Transfer
               ? m_profile->timeline.transfers[activity.row].fromGraph
               : m_profile->launches[activity.row].fromGraph;
}

IssuingCalls::Issuer IssuingCalls::graphLaunchBefore(Nanoseconds at) const {
    const Timeline& timeline = m_profile->timeline;
    const auto after = std::ranges::upper_bound(
        m_graphLaunches, at, {}, [&](std::uint32_t i) { return timeline.calls[i].time.start; });
    if (after == m_graphLaunches.begin()) return {};
    const std::uint32_t latest = *std::prev(after);
    return {latest, std::min(timeline.calls[latest].time.end, at)};
}

std::string RangesOfThreads::around(std::uint32_t thread, const TimeSpan& time) {
    constexpr std::size_t kDeepest = 64;  // earlier ranges to look at; they may be over
    if (m_byThread.empty()) {
        // Sorted once for all threads, because a thread that launches may have none of a million
        // ranges.
        for (const RangeSpan& range : m_profile.timeline.ranges)
            m_byThread[range.thread].push_back(&range);
        for (auto& [of, ranges] : m_byThread)
            std::ranges::stable_sort(ranges, {}, [](const RangeSpan* r) { return r->time.start; });
    }
    const auto found = m_byThread.find(thread);
    if (found == m_byThread.end()) return {};
    const auto& ranges = found->second;
    auto at = std::ranges::upper_bound(ranges, time.start, {},
                                       [](const RangeSpan* r) { return r->time.start; });
    for (std::size_t i = 0; at != ranges.begin() && i < kDeepest; ++i) {
        const RangeSpan& range = **--at;
        if (range.time.end >= time.end) return m_profile.ranges[range.range];
    }
    return {};
}

}  // namespace roofscope::program
