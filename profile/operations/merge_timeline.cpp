// SPDX-License-Identifier: Apache-2.0
#include "profile/operations/merge_timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "profile/operations/timeline_spans.h"

namespace roofscope {
namespace {

/// 2^52 ns, about 50 days: clocks further apart do not belong to one program.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 52;

/// The first and last moment of a process on its host's clock, in nanoseconds.
struct Extent {
    double first = std::numeric_limits<double>::infinity();
    double last = -std::numeric_limits<double>::infinity();
    void add(double start, double end) {
        first = std::min(first, start);
        last = std::max(last, end);
    }
};

std::vector<Extent> extentsOf(Profile& profile) {
    std::vector<Extent> extents(profile.processes.size());
    const auto add = [&](std::uint32_t process, double start, double end) {
        const double zero = static_cast<double>(profile.processes[process].clockZero.value_or(0));
        extents[process].add(zero + start, zero + end);
    };
    for (const Launch& launch : profile.launches) {
        if (!launch.start) continue;
        const double start = launch.start->value * 1e9;
        add(launch.process, start, start + launch.duration.value_or(Seconds{}).value * 1e9);
    }
    forEachSpan(profile.timeline, [&](std::uint32_t process, const TimeSpan& span) {
        add(process, double(span.start), double(span.end));
    });
    forEachMoment(profile.processes, [&](std::uint32_t process, const Nanoseconds& time) {
        add(process, double(time), double(time));
    });
    return extents;
}

}  // namespace

void appendTimeline(Timeline& all, Timeline more, const TimelineOffsets& places) {
    const auto firstThread = static_cast<std::uint32_t>(all.threads.size());
    const auto firstTransfer = static_cast<std::uint32_t>(all.transfers.size());
    for (Thread& thread : more.threads) {
        thread.process += places.firstProcess;
        all.threads.push_back(std::move(thread));
    }
    std::vector<std::uint32_t> names;
    std::map<std::pair<std::string, CallKind>, std::uint32_t> known;
    for (std::uint32_t i = 0; i < all.callNames.size(); ++i)
        known.try_emplace({all.callNames[i].name, all.callNames[i].kind}, i);
    for (CallName& name : more.callNames) {
        const auto [same, isNew] =
            known.try_emplace({name.name, name.kind}, std::uint32_t(all.callNames.size()));
        names.push_back(same->second);
        if (isNew) all.callNames.push_back(std::move(name));
    }
    for (Transfer& t : more.transfers) {
        t.process += places.firstProcess;
        t.device = places.devices[t.device];
        if (t.peer) t.peer = places.devices[*t.peer];
        all.transfers.push_back(t);
    }
    for (Call& call : more.calls) {
        call.name = names[call.name];
        call.thread += firstThread;
        if (call.work)
            *call.work += all.callNames[call.name].kind == CallKind::Transfer ? firstTransfer
                                                                              : places.firstLaunch;
        all.calls.push_back(call);
    }
    for (RangeSpan& range : more.ranges) {
        range.range = places.ranges[range.range];
        range.thread += firstThread;
        all.ranges.push_back(range);
    }
    for (ProfilerSpan& span : more.profiler) {
        span.process += places.firstProcess;
        all.profiler.push_back(span);
    }
    for (UntimedWork& work : more.untimed) {
        work.process += places.firstProcess;
        work.device = places.devices[work.device];
        if (work.launch) *work.launch += places.firstLaunch;
        all.untimed.push_back(work);
    }
}

void alignClocks(Profile& profile) {
    const std::vector<Extent> extents = extentsOf(profile);
    // Sort the processes of a host by their first moment; each group that overlaps in time gets one
    // clock.
    std::map<std::string, std::vector<std::uint32_t>> hosts;
    for (std::uint32_t p = 0; p < profile.processes.size(); ++p)
        if (const Process& process = profile.processes[p];
            !process.host.empty() && process.clockZero && extents[p].first <= extents[p].last)
            hosts[process.host].push_back(p);
    std::vector<std::uint64_t> later(profile.processes.size(), 0);  // offset of each process in ns
    for (auto& [host, processes] : hosts) {
        std::ranges::sort(processes, {}, [&](std::uint32_t p) { return extents[p].first; });
        for (std::size_t begin = 0; begin < processes.size();) {
            std::size_t end = begin;
            std::uint64_t zero = *profile.processes[processes[begin]].clockZero;
            double latest = extents[processes[begin]].last;
            for (; end < processes.size() && extents[processes[end]].first <= latest; ++end) {
                latest = std::max(latest, extents[processes[end]].last);
                zero = std::min(zero, *profile.processes[processes[end]].clockZero);
            }
            for (; begin < end; ++begin) {
                auto& own = profile.processes[processes[begin]].clockZero;
                const double last = extents[processes[begin]].last - static_cast<double>(zero);
                if (*own - zero > kLongest || last > static_cast<double>(kLongest)) continue;
                later[processes[begin]] = *own - zero;
                own = zero;
            }
        }
    }
    for (Launch& launch : profile.launches)
        if (launch.start && later[launch.process] > 0)
            launch.start = Seconds{(std::round(launch.start->value * 1e9) +
                                    static_cast<double>(later[launch.process])) /
                                   1e9};
    forEachSpan(profile.timeline, [&](std::uint32_t process, TimeSpan& span) {
        const auto by = static_cast<Nanoseconds>(later[process]);
        span = {span.start + by, span.end + by};
    });
    forEachMoment(profile.processes, [&](std::uint32_t process, Nanoseconds& time) {
        time += static_cast<Nanoseconds>(later[process]);
    });
}

}  // namespace roofscope
