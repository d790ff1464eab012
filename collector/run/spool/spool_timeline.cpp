// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool/spool_timeline.h"
#include "profile/text/count_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace roofscope {
namespace {

using namespace spool;

/// Far more functions than the driver has, and more threads than programs have.
constexpr std::size_t kMostNames = 5'000, kMostThreads = 100'000;

/// GPU work in the order in which it was issued. Finds when the work issued between two moments
/// began and ended on the GPU, without visiting all of it.
class IssuedWork {
public:
    void add(std::int64_t issued, const TimeSpan& ran) { m_items.push_back({issued, ran}); }

    void sort() {
        std::ranges::stable_sort(m_items, {}, &Item::issued);
        const std::size_t n = m_items.size();
        m_tree.assign(2 * n, kNothing);
        for (std::size_t i = 0; i < n; ++i) m_tree[n + i] = m_items[i].ran;
        for (std::size_t i = n; i-- > 1;) m_tree[i] = joined(m_tree[2 * i], m_tree[2 * i + 1]);
    }

    /// The time of the work issued in this span; kNothing if there is none.
    [[nodiscard]] TimeSpan within(const TimeSpan& span) const {
        const auto place = [&](std::int64_t at) {
            return static_cast<std::size_t>(
                std::ranges::lower_bound(m_items, at, {}, &Item::issued) - m_items.begin());
        };
        std::size_t from = place(span.start) + m_items.size(),
                    to = place(span.end) + m_items.size();
        TimeSpan all = kNothing;
        for (; from < to; from /= 2, to /= 2) {
            if (from % 2 == 1) all = joined(all, m_tree[from++]);
            if (to % 2 == 1) all = joined(all, m_tree[--to]);
        }
        return all;
    }

    static constexpr TimeSpan kNothing{.start = std::numeric_limits<Nanoseconds>::max(),
                                       .end = std::numeric_limits<Nanoseconds>::min()};
    static TimeSpan joined(const TimeSpan& a, const TimeSpan& b) {
        return {.start = std::min(a.start, b.start), .end = std::max(a.end, b.end)};
    }

private:
    struct Item {
        std::int64_t issued = 0;
        TimeSpan ran;
    };
    std::vector<Item> m_items;
    std::vector<TimeSpan> m_tree;  ///< from n on the items; before, each of its two below
};

}  // namespace

bool SpoolTimeline::take(std::size_t rows) {
    if (rows > kMostRows - m_rows) {
        m_leftOut += rows;
        return false;
    }
    m_rows += rows;
    return true;
}

void SpoolTimeline::noteTime(std::int64_t at) { m_latest = std::max(m_latest, at); }

bool SpoolTimeline::apply(std::string_view type, const Json& json) {
    if (type == "calls")
        calls(json);
    else if (type == "transfers")
        transfers(json);
    else if (type == "begun")
        begun(json);
    else if (type == "left")
        left(json);
    else if (type == "thread" && m_threads.size() < kMostThreads)
        m_threads.try_emplace(whole<std::uint32_t>(json, "id"),
                              Thread{.id = static_cast<std::int64_t>(count(json, "tid")),
                                     .name = json.at("name").get<std::string>()});
    else if (type == "call-name" && m_names.size() < kMostNames)
        m_names.try_emplace(
            whole<std::uint32_t>(json, "id"),
            CallName{.name = json.at("name").get<std::string>(),
                     .kind = enumOf(whole<std::uint8_t>(json, "kind"), CallKind::Other)});
    else if (type == "profiler")
        m_switches.emplace_back(json.at("on").get<bool>(), timeOf(integer(json.at("at"))));
    else if (type == "timeline") {
        TimelineParts parts;
        for (const auto& [name, member] : kTimelineParts) parts.*member = json.at(name).get<bool>();
        m_parts = parts;
    } else
        return false;
    return true;
}

void SpoolTimeline::transfers(const Json& json) {
    const std::size_t n = rows(json);
    if (!take(n)) return;
    const auto kinds = column(json, "k", n), from = column(json, "from", n),
               to = column(json, "to", n), devices = column(json, "d", n),
               peers = column(json, "peer", n), contexts = column(json, "x", n),
               streams = column(json, "s", n), bytes = column(json, "bytes", n),
               correlations = growing(json, "c", n), graph = column(json, "graph", n);
    const auto times = spans(json, n);
    for (std::size_t i = 0; i < n; ++i) {
        RawTransfer raw{
            .transfer = {.kind = enumOf(kinds[i], TransferKind::Other),
                         .source = enumOf(from[i], MemoryKind::Managed),
                         .target = enumOf(to[i], MemoryKind::Managed),
                         .bytes = std::min(unsignedOf<std::uint64_t>(bytes[i]), kMostWhole),
                         .time = times[i],
                         .fromGraph = graph[i] != 0},
            .device = unsignedOf<std::uint32_t>(devices[i]),
            .context = unsignedOf<std::uint32_t>(contexts[i]),
            .stream = unsignedOf<std::uint32_t>(streams[i]),
            .correlation = unsignedOf<std::uint32_t>(correlations[i])};
        if (peers[i] >= 0) raw.peer = unsignedOf<std::uint32_t>(peers[i]);
        noteTime(times[i].end);
        m_transfers.push_back(raw);
    }
}

void SpoolTimeline::calls(const Json& json) {
    const std::size_t n = rows(json);
    if (!take(n)) return;
    const auto names = column(json, "k", n), threads = column(json, "th", n),
               correlations = growing(json, "c", n);
    const auto times = spans(json, n);
    for (std::size_t i = 0; i < n; ++i) {
        m_calls.push_back({.name = unsignedOf<std::uint32_t>(names[i]),
                           .thread = unsignedOf<std::uint32_t>(threads[i]),
                           .correlation = unsignedOf<std::uint32_t>(correlations[i]),
                           .time = times[i]});
        noteTime(times[i].end);
    }
}

void SpoolTimeline::begun(const Json& json) {
    const std::size_t n = rows(json);
    if (!take(n)) return;
    const auto numbers = growing(json, "n", n), ranges = column(json, "r", n),
               threads = column(json, "th", n), times = growing(json, "b", n);
    for (std::size_t i = 0; i < n; ++i) {
        m_ranges[unsignedOf<std::uint64_t>(numbers[i])] = {
            .range = unsignedOf<std::uint32_t>(ranges[i]),
            .thread = unsignedOf<std::uint32_t>(threads[i]),
            .begin = timeOf(times[i])};
        noteTime(times[i]);
    }
}

void SpoolTimeline::left(const Json& json) {
    const std::size_t n = rows(json);
    const auto numbers = growing(json, "n", n), times = growing(json, "e", n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto it = m_ranges.find(unsignedOf<std::uint64_t>(numbers[i]));
        noteTime(timeOf(times[i]));
        if (it != m_ranges.end()) it->second.end = std::max(times[i], it->second.begin);
    }
}

void SpoolTimeline::addTransfers(Profile& profile, Rest& rest) {
    std::uint32_t nextStream = 0;
    for (const auto& [key, stream] : rest.streams) nextStream = std::max(nextStream, stream + 1);
    const auto deviceOf = [&](std::uint32_t ordinal) -> std::optional<std::uint32_t> {
        const auto it = rest.devices.find(ordinal);
        return it == rest.devices.end() ? std::nullopt : std::optional(it->second);
    };
    std::size_t nowhere = 0;
    for (const RawTransfer& raw : m_transfers) {
        const auto device = deviceOf(raw.device);
        if (!device) {
            ++nowhere;
            continue;
        }
        const auto [stream, isNew] =
            rest.streams.try_emplace({raw.context, raw.stream}, nextStream);
        if (isNew) ++nextStream;
        Transfer transfer = raw.transfer;
        transfer.process = rest.process;
        transfer.device = *device;
        if (raw.peer) transfer.peer = deviceOf(*raw.peer);
        transfer.stream = stream->second;
        m_transferOf.try_emplace(raw.correlation,
                                 static_cast<std::uint32_t>(profile.timeline.transfers.size()));
        profile.timeline.transfers.push_back(transfer);
    }
    if (nowhere > 0)
        profile.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "copies-left-out",
             .message = "made by an unknown GPU: " + countText(nowhere, "copy", "copies")});
}

void SpoolTimeline::addCalls(Profile& profile, const Rest& rest) {
    Timeline& timeline = profile.timeline;
    std::map<std::uint32_t, std::uint32_t> names;
    for (const auto& [id, name] : m_names) {
        const auto same = std::ranges::find(timeline.callNames, name);
        names[id] = static_cast<std::uint32_t>(same - timeline.callNames.begin());
        if (same == timeline.callNames.end()) timeline.callNames.push_back(name);
    }
    for (const RawCall& raw : m_calls) {
        const auto name = names.find(raw.name);
        const auto thread = m_threadIndex.find(raw.thread);
        if (name == names.end() || thread == m_threadIndex.end()) {
            ++m_leftOut;
            continue;
        }
        Call call{.name = name->second, .thread = thread->second, .time = raw.time};
        if (timeline.callNames[call.name].kind == CallKind::Transfer) {
            const auto it = m_transferOf.find(raw.correlation);
            if (it != m_transferOf.end()) call.work = it->second;
        } else if (const auto it = rest.launches.find(raw.correlation);
                   it != rest.launches.end() && !it->second.empty()) {
            call.work = it->second.front().row;
        }
        timeline.calls.push_back(call);
    }
}

void SpoolTimeline::addRanges(Profile& profile, const Rest& rest) {
    // Work belongs to the ranges of the thread that issued it; work of a thread without ranges
    // (autograd's), to the ranges of all threads.
    std::set<std::uint32_t> withRanges;
    for (const auto& [number, range] : m_ranges) withRanges.insert(range.thread);
    std::map<std::uint32_t, IssuedWork> perThread;
    IssuedWork ofOthers;
    for (const RawCall& call : m_calls) {
        TimeSpan ran = IssuedWork::kNothing;
        if (const auto it = rest.launches.find(call.correlation); it != rest.launches.end())
            for (const Launched& launched : it->second)
                if (launched.time) ran = IssuedWork::joined(ran, *launched.time);
        if (const auto it = m_transferOf.find(call.correlation); it != m_transferOf.end())
            ran = IssuedWork::joined(ran, profile.timeline.transfers[it->second].time);
        if (ran == IssuedWork::kNothing) continue;
        (withRanges.contains(call.thread) ? perThread[call.thread] : ofOthers)
            .add(call.time.start, ran);
    }
    for (auto& [thread, work] : perThread) work.sort();
    ofOthers.sort();
    const std::int64_t end = m_latest;
    for (const auto& [number, raw] : m_ranges) {
        const auto range = rest.ranges.find(raw.range);
        const auto thread = m_threadIndex.find(raw.thread);
        if (range == rest.ranges.end() || thread == m_threadIndex.end()) {
            ++m_leftOut;
            continue;
        }
        RangeSpan span{.range = range->second,
                       .thread = thread->second,
                       .time = {.start = raw.begin, .end = raw.end.value_or(end)}};
        TimeSpan gpu = ofOthers.within(span.time);
        if (const auto own = perThread.find(raw.thread); own != perThread.end())
            gpu = IssuedWork::joined(gpu, own->second.within(span.time));
        if (gpu != IssuedWork::kNothing) span.gpu = gpu;
        profile.timeline.ranges.push_back(span);
    }
}

void SpoolTimeline::finish(Profile& profile, Rest rest) {
    if (!m_parts) return;
    for (auto& [id, thread] : m_threads) {
        m_threadIndex[id] = static_cast<std::uint32_t>(profile.timeline.threads.size());
        thread.process = rest.process;
        profile.timeline.threads.push_back(thread);
    }
    addTransfers(profile, rest);
    addCalls(profile, rest);
    addRanges(profile, rest);
    for (std::size_t i = 0; i < m_switches.size(); ++i) {
        const auto [on, at] = m_switches[i];
        // A second start while it is on changes nothing.
        if (!on || (i > 0 && m_switches[i - 1].first)) continue;
        const auto off = std::find_if(m_switches.begin() + static_cast<std::ptrdiff_t>(i),
                                      m_switches.end(), [](const auto& s) { return !s.first; });
        const std::int64_t end = off == m_switches.end() ? std::max(m_latest, at) : off->second;
        profile.timeline.profiler.push_back(
            {.process = rest.process, .time = {.start = at, .end = std::max(at, end)}});
    }
    // Where rows are missing nothing can be concluded from those that are there.
    if (m_leftOut > 0 || rest.damaged) m_parts = TimelineParts{};
    profile.processes[rest.process].timeline = m_parts;
    if (m_leftOut > 0)
        profile.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "timeline-cut",
             .message = fmt::format("{} entries of the timeline of process {} were left out: there "
                                    "are too many, or they could not be read",
                                    m_leftOut, profile.processes[rest.process].pid)});
}

}  // namespace roofscope
