// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/activity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "analyzer/model/analysis.h"
#include "profile/model/autotuning.h"
#include "profile/names/peer_kernels.h"
#include "profile/names/profiler_calls.h"

namespace roofscope::program {
namespace {

/// Beyond this a double cannot hold every nanosecond; 104 days.
constexpr double kLatest = 9007199254740992.0;

/// Host and what its clock read at time 0: equal for processes on one clock.
using HostClock = std::pair<std::string, std::uint64_t>;
HostClock clockOf(const Process& process) { return {process.host, process.clockZero.value_or(0)}; }

/// Priority among nested calls: the one that says most about what the CPU does.
int precedence(CallKind kind) {
    switch (kind) {
        case CallKind::Load:
            return 8;
        case CallKind::Allocate:
            return 7;
        case CallKind::Free:
            return 6;
        case CallKind::Wait:
            return 5;
        case CallKind::Transfer:
            return 4;
        case CallKind::GraphLaunch:
            return 3;
        case CallKind::Launch:
            return 2;
        case CallKind::Graph:
            return 1;
        case CallKind::Other:  // only another profiler's
            return 9;
    }
    return 0;
}
constexpr std::size_t kPrecedences = 10;

/// Whether the call says what the thread does: one without a known purpose does not.
bool isTelling(const CallName& name) {
    return name.kind != CallKind::Other || name.name.starts_with(kProfilerCall);
}

/// Splits nested calls into stretches that do not overlap.
std::vector<CpuStretch> flatten(const Profile& profile, const std::vector<std::uint32_t>& calls) {
    struct Edge {
        Nanoseconds at;
        bool begins;
        std::uint32_t call;
    };
    const Timeline& t = profile.timeline;
    std::vector<Edge> edges;
    edges.reserve(calls.size() * 2);
    for (const std::uint32_t call : calls) {
        if (t.calls[call].time.length() == 0 || !isTelling(t.callNames[t.calls[call].name]))
            continue;
        edges.push_back({t.calls[call].time.start, true, call});
        edges.push_back({t.calls[call].time.end, false, call});
    }
    std::ranges::stable_sort(edges, {}, [](const Edge& e) { return std::pair(e.at, e.begins); });
    std::vector<CpuStretch> stretches;
    std::array<std::vector<std::uint32_t>, kPrecedences> open;  // calls that have not returned
    std::unordered_set<std::uint32_t> returned;                 // that are still in `open`
    Nanoseconds from = 0;
    for (const Edge& edge : edges) {
        for (auto& list : open)
            while (!list.empty() && returned.erase(list.back()) > 0) list.pop_back();
        const auto top = std::find_if(open.rbegin(), open.rend(),
                                      [](const auto& list) { return !list.empty(); });
        if (top != open.rend() && edge.at > from) {
            const std::uint32_t call = top->back();
            if (!stretches.empty() && stretches.back().call == call &&
                stretches.back().time.end == from)
                stretches.back().time.end = edge.at;
            else
                stretches.push_back({.time = {from, edge.at},
                                     .kind = t.callNames[t.calls[call].name].kind,
                                     .call = call});
        }
        from = edge.at;
        auto& list =
            open[static_cast<std::size_t>(precedence(t.callNames[t.calls[edge.call].name].kind))];
        if (edge.begins)
            list.push_back(edge.call);
        else if (!list.empty() && list.back() == edge.call)
            list.pop_back();
        else
            returned.insert(edge.call);
    }
    return stretches;
}

/// By process: when it autotuned, if the launches of autotuning were left out of the profile. The
/// copies and memsets of a compiler's trials are not the program's either. Ascending, disjoint.
std::vector<std::vector<TimeSpan>> tuningSpans(const Profile& profile) {
    std::vector<std::vector<TimeSpan>> spans(profile.processes.size());
    for (const RangeSpan& range : profile.timeline.ranges) {
        const std::uint32_t process = profile.timeline.threads[range.thread].process;
        if (profile.processes[process].autotuningLaunches.value_or(0) > 0 &&
            profile.ranges[range.range].find(kAutotuningRange) != std::string::npos)
            spans[process].push_back(range.time);
    }
    for (std::vector<TimeSpan>& of : spans) of = disjoint(std::move(of));
    return spans;
}

/// Whether `time` begins in one of the spans.
bool liesIn(const std::vector<TimeSpan>& spans, const TimeSpan& time) {
    const auto after = std::ranges::upper_bound(spans, time.start, {}, &TimeSpan::start);
    return after != spans.begin() && time.start < std::prev(after)->end;
}

}  // namespace

std::vector<TimeSpan> disjoint(std::vector<TimeSpan> spans) {
    std::ranges::sort(spans);
    std::vector<TimeSpan> result;
    for (const TimeSpan& span : spans) {
        const Nanoseconds start =
            result.empty() ? span.start : std::max(span.start, result.back().end);
        if (span.end > start) result.push_back({start, span.end});
    }
    return result;
}

std::vector<std::uint32_t> kernelOfLaunches(const Analysis& analysis) {
    std::vector<std::uint32_t> kernels(analysis.profile->launches.size(), 0);
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k)
        for (const std::uint32_t row : analysis.kernels[k].group.launches) kernels[row] = k;
    return kernels;
}

std::optional<TimeSpan> spanOf(const Launch& launch) {
    if (!launch.start || !launch.duration) return std::nullopt;
    const double start = std::round(launch.start->value * 1e9);
    const double length = std::round(launch.duration->value * 1e9);
    if (!(start >= 0) || !(length >= 0) || !(start + length < kLatest)) return std::nullopt;
    const auto from = static_cast<Nanoseconds>(start);
    return TimeSpan{from, from + static_cast<Nanoseconds>(length)};
}

bool hasTimes(const Profile& profile) {
    const Timeline& t = profile.timeline;
    return !t.transfers.empty() || !t.calls.empty() || !t.ranges.empty() ||
           std::ranges::any_of(profile.launches,
                               [](const Launch& launch) { return spanOf(launch).has_value(); });
}

std::vector<LaneActivity> laneActivities(const Profile& profile) {
    std::vector<bool> communicates;
    for (const Kernel& kernel : profile.kernels)
        communicates.push_back(waitsForPeers(kernel.symbol) || waitsForPeers(kernel.name));
    struct Found {
        LaneActivity lane;
        std::set<std::uint32_t> processes;
        Nanoseconds kernels = 0;
    };
    std::map<std::tuple<std::uint32_t, HostClock>, Found> found;
    std::vector<HostClock> clocks;
    for (const Process& process : profile.processes) clocks.push_back(clockOf(process));
    // Remembers the last lane, because neighbouring rows mostly belong to the same one.
    Found* last = nullptr;
    std::pair<std::uint32_t, std::uint32_t> lastKey;
    const auto laneOf = [&](std::uint32_t device, std::uint32_t process) -> Found& {
        const std::pair key(device, process);
        if (last && key == lastKey) return *last;
        Found& lane = found[{device, clocks[process]}];
        lane.lane.device = device;
        lane.processes.insert(process);
        lastKey = key;
        last = &lane;
        return lane;
    };
    std::vector<std::uint64_t> held(profile.processes.size(), 0), timed = held;
    const bool oneLane = profile.devices.size() == 1 && profile.processes.size() == 1;
    if (oneLane && !profile.launches.empty())
        laneOf(profile.launches[0].device, profile.launches[0].process)
            .lane.activities.reserve(profile.launches.size() + profile.timeline.transfers.size());
    for (std::uint32_t row = 0; row < profile.launches.size(); ++row) {
        const Launch& launch = profile.launches[row];
        Found& lane = laneOf(launch.device, launch.process);
        ++held[launch.process];
        const auto span = spanOf(launch);
        if (!span) continue;
        ++timed[launch.process];
        lane.kernels += span->length();
        lane.lane.activities.push_back({.kind = communicates[launch.kernel]
                                                    ? Activity::Kind::Communication
                                                    : Activity::Kind::Kernel,
                                        .row = row,
                                        .time = *span});
    }
    const auto tuning = tuningSpans(profile);
    for (std::uint32_t row = 0; row < profile.timeline.transfers.size(); ++row) {
        const Transfer& t = profile.timeline.transfers[row];
        if (liesIn(tuning[t.process], t.time)) continue;
        const Activity transfer{.kind = Activity::Kind::Transfer, .row = row, .time = t.time};
        laneOf(t.device, t.process).lane.activities.push_back(transfer);
        // Both ends of a copy between devices are busy with it.
        if (t.peer && *t.peer != t.device)
            laneOf(*t.peer, t.process).lane.activities.push_back(transfer);
    }
    for (const UntimedWork& work : profile.timeline.untimed) {
        if (work.launch && spanOf(profile.launches[*work.launch])) continue;
        laneOf(work.device, work.process).lane.untimed.push_back(work.time);
        if (work.launch) ++timed[work.process];
    }
    std::vector<Found*> order;
    for (auto& [key, lane] : found) {
        if (lane.lane.activities.empty()) continue;
        lane.lane.processes.assign(lane.processes.begin(), lane.processes.end());
        bool first = true;
        for (const std::uint32_t process : lane.processes) {
            const TimelineParts parts =
                profile.processes[process].timeline.value_or(TimelineParts{});
            for (const auto& [name, part] : kTimelineParts)
                lane.lane.recorded.*part = (first || lane.lane.recorded.*part) && parts.*part;
            first = false;
            const std::uint64_t seen = profile.processes[process].launchesSeen;
            if (seen > held[process]) lane.lane.all = false;
            // Rows beyond those that the timing run saw are of runs with counters, in which the
            // program launched something else: a compiler that tunes may choose differently in
            // every run.
            if (timed[process] < (seen > 0 ? std::min(seen, held[process]) : held[process]))
                lane.lane.timed = false;
        }
        std::ranges::stable_sort(lane.lane.activities, {}, &Activity::time);
        lane.lane.untimed = disjoint(std::move(lane.lane.untimed));
        order.push_back(&lane);
    }
    std::ranges::stable_sort(order, std::greater{}, &Found::kernels);
    std::vector<LaneActivity> lanes;
    for (Found* lane : order) lanes.push_back(std::move(lane->lane));
    return lanes;
}

namespace {

/// Of the first launch of a kernel, which loads its code, only the loading may have been noted.
bool launchesOrCopies(const CallName& call) {
    return issuesWork(call.kind) ||
           (call.kind == CallKind::Load && call.name.find("Launch") != call.name.npos);
}

}  // namespace

std::vector<ThreadActivity> threadActivities(const Profile& profile,
                                             const std::vector<std::uint32_t>& processes) {
    const Timeline& t = profile.timeline;
    std::vector<bool> wanted(profile.processes.size(), false);
    for (const std::uint32_t process : processes) wanted[process] = true;
    std::vector<std::vector<std::uint32_t>> calls(t.threads.size());
    for (std::uint32_t i = 0; i < t.calls.size(); ++i)
        if (wanted[t.threads[t.calls[i].thread].process]) calls[t.calls[i].thread].push_back(i);
    std::vector<ThreadActivity> threads;
    for (std::uint32_t thread = 0; thread < calls.size(); ++thread) {
        if (calls[thread].empty()) continue;
        std::ranges::stable_sort(calls[thread], {},
                                 [&](std::uint32_t call) { return t.calls[call].time.start; });
        ThreadActivity& activity = threads.emplace_back();
        activity.thread = thread;
        activity.stretches = flatten(profile, calls[thread]);
        for (const std::uint32_t call : calls[thread])
            if (launchesOrCopies(t.callNames[t.calls[call].name])) activity.issues.push_back(call);
    }
    return threads;
}

bool issuesWork(CallKind kind) {
    return kind == CallKind::Launch || kind == CallKind::GraphLaunch || kind == CallKind::Transfer;
}

const ThreadActivity& busiestOf(const std::vector<ThreadActivity>& threads) {
    return *std::ranges::max_element(
        threads, {}, [](const ThreadActivity& thread) { return thread.issues.size(); });
}

std::optional<Nanoseconds> knownFrom(const ProcessRun& run, const LaneActivity& lane) {
    if (!run.countedUntil || lane.activities.empty()) return run.countedUntil;
    return std::max(*run.countedUntil, lane.activities.front().time.start);
}

}  // namespace roofscope::program
