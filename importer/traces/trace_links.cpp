// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/trace_links.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "profile/times/impossible_times.h"

namespace roofscope::traces {
namespace {

/// A profile can hold times up to 104 days from its zero. This leaves room on both sides.
constexpr Nanoseconds kFarthest = 1LL << 52;
/// The profiler waits for the GPU at the end of a trace, so GPU work is close to events of the CPU.
/// Any work farther away was not recorded with them.
constexpr Nanoseconds kAround = 60'000'000'000;
/// CPU and GPU clocks are synchronised to about a microsecond.
constexpr Nanoseconds kClocksWithin = 1'000;

/// The median start of all timed work, which a few impossible times cannot shift.
std::optional<Nanoseconds> middleOf(const std::vector<WorkRow>& work) {
    std::vector<Nanoseconds> starts;
    starts.reserve(work.size());
    for (const WorkRow& row : work)
        if (row.timed) starts.push_back(row.time.start);
    if (starts.empty()) return std::nullopt;
    const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
    std::ranges::nth_element(starts, middle);
    return *middle;
}

bool isNear(const TimeSpan& span, Nanoseconds middle) {
    return span.start > middle - kFarthest && span.end < middle + kFarthest;
}

void dropFar(TraceRows& rows) {
    const auto middle = middleOf(rows.work);
    if (!middle) return;
    const auto isFar = [&](const auto& row) { return !isNear(row.time, *middle); };
    rows.losses.calls += std::erase_if(rows.calls, isFar);
    std::erase_if(rows.frames, [&](const FrameRow& frame) {
        if (isFar(frame)) ++rows.losses.of(frame.kind);
        return isFar(frame);
    });
    std::optional<TimeSpan> all;
    for (const CallRow& call : rows.calls) {
        if (!all) all = call.time;
        *all = {std::min(all->start, call.time.start), std::max(all->end, call.time.end)};
    }
    for (const FrameRow& frame : rows.frames) {
        if (!all) all = frame.time;
        *all = {std::min(all->start, frame.time.start), std::max(all->end, frame.time.end)};
    }
    for (WorkRow& row : rows.work) {
        if (!row.timed) continue;
        const bool possible =
            isNear(row.time, *middle) && (!all || (row.time.start >= all->start - kAround &&
                                                   row.time.end <= all->end + kAround));
        if (possible) continue;
        row.timed = false;
        ++rows.losses.impossibleTimes;
    }
}

bool isInside(const CallRow& inner, const CallRow& outer) {
    return inner.thread == outer.thread && inner.time.start >= outer.time.start &&
           inner.time.end <= outer.time.end;
}

}  // namespace

TraceLinks linkRows(TraceRows& rows) {
    dropFar(rows);
    TraceLinks links;
    links.callOfWork.assign(rows.work.size(), kNoRow);
    std::unordered_map<std::uint64_t, std::uint32_t> calls;
    constexpr std::uint32_t kSeveral = kNoRow;
    calls.reserve(rows.calls.size());
    for (std::uint32_t i = 0; i < rows.calls.size(); ++i) {
        const auto& correlation = rows.calls[i].correlation;
        if (!correlation || *correlation == 0) continue;
        const auto [entry, isNew] = calls.try_emplace(*correlation, i);
        if (isNew) continue;
        // A runtime function may call a driver function. Then the outer call issued the work.
        if (entry->second != kSeveral) {
            const CallRow& known = rows.calls[entry->second];
            if (isInside(rows.calls[i], known)) continue;
            if (isInside(known, rows.calls[i])) {
                entry->second = i;
                continue;
            }
        }
        entry->second = kSeveral;
        ++links.ambiguousCalls;
    }
    const auto first =
        std::ranges::min_element(rows.calls, {}, [](const CallRow& c) { return c.time.start; });
    for (std::size_t i = 0; i < rows.work.size(); ++i) {
        WorkRow& work = rows.work[i];
        const auto call = calls.find(work.correlation.value_or(0));
        if (call == calls.end() && first != rows.calls.end())
            links.withoutCall +=
                work.timed && !work.graphNode && work.time.start > first->time.start;
        if (call == calls.end() || call->second == kSeveral) continue;
        links.callOfWork[i] = call->second;
        if (!work.timed) continue;
        ++links.linked;
        if (work.time.start + kClocksWithin < rows.calls[call->second].time.start) ++links.early;
    }
    // If few works begin before their call, either the call is the wrong one, which is undone here,
    // or the time is impossible, which is checked when the profile is complete. If many do, the
    // clocks disagree; times within the GPU are still right.
    if (!links.clocksAgree()) return links;
    for (std::size_t i = 0; i < rows.work.size(); ++i) {
        WorkRow& work = rows.work[i];
        if (links.callOfWork[i] == kNoRow || !work.timed) continue;
        const Nanoseconds called = rows.calls[links.callOfWork[i]].time.start;
        if (work.time.start + kClocksWithin < called && work.time.start + kClocksDiffer >= called)
            links.callOfWork[i] = kNoRow;
    }
    return links;
}

}  // namespace roofscope::traces
