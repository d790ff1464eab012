// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/allocation_lock.h"

#include <algorithm>

namespace roofscope::program {
namespace {

/// A launch takes 2 to 25 µs. One that takes longer has waited for something.
constexpr Nanoseconds kUsualLaunch = 100'000;

}  // namespace

AllocationLock::AllocationLock(const std::vector<ThreadActivity>& threads) {
    if (threads.size() < 2) return;
    std::vector<Held> calls;
    for (const ThreadActivity& thread : threads)
        for (const CpuStretch& stretch : thread.stretches)
            if (stretch.kind == CallKind::Allocate || stretch.kind == CallKind::Free)
                calls.push_back({.time = stretch.time, .call = stretch.call});
    std::ranges::sort(calls, {}, [](const Held& held) { return held.time.start; });
    Nanoseconds longest = 0;
    for (const Held& call : calls) {
        const bool joins = !m_held.empty() && call.time.start <= m_held.back().time.end;
        if (!joins) {
            m_held.push_back(call);
            longest = call.time.length();
            continue;
        }
        Held& held = m_held.back();
        held.time.end = std::max(held.time.end, call.time.end);
        if (call.time.length() <= longest) continue;
        longest = call.time.length();
        held.call = call.call;
    }
}

std::vector<AllocationLock::Held> AllocationLock::during(const CpuStretch& launch,
                                                         const TimeSpan& part) const {
    std::vector<Held> found;
    if (m_held.empty() || launch.time.length() <= kUsualLaunch) return found;
    auto next = std::ranges::upper_bound(m_held, part.start, {},
                                         [](const Held& held) { return held.time.end; });
    for (; next != m_held.end() && next->time.start < part.end; ++next)
        found.push_back(
            {.time = {std::max(next->time.start, part.start), std::min(next->time.end, part.end)},
             .call = next->call});
    return found;
}

}  // namespace roofscope::program
