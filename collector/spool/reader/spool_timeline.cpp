// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "profile/text/count_text.h"

namespace roofscope {
namespace {

using namespace spool;

/// Far more than the number of driver functions, and of threads in programs.
constexpr std::size_t kMostNames = 5'000, kMostThreads = 100'000;
/// The injected library writes fewer.
constexpr std::size_t kMostSamples = 1'000'000;
/// The injected library writes fewer of one stretch.
constexpr std::size_t kMostPaceMarks = 10'000;

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

    /// The time span in which the work issued in this span ran; kNothing if there is none.
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
    /// Segment tree: the items start at index n; each node before them joins its two children.
    std::vector<TimeSpan> m_tree;
};

/// Whether the times of a copy cannot be right: GPU memory and pinned memory move at 10 GB/s or
/// more, and such copies do not wait for the CPU. For instance, CUPTI lets JAX's first copy within
/// the GPU end when JAX's compiler ends, 9 to 20 s later.
bool lastsTooLong(const TransferTime& row) {
    constexpr double kNsPerByte = 100, kMargin = 1e8;  // 10 MB/s, and 0.1 s
    const auto isFast = [](MemoryKind kind) {
        return kind == MemoryKind::Device || kind == MemoryKind::Pinned;
    };
    return isFast(row.target) && (isFast(row.source) || row.kind == TransferKind::Memset) &&
           static_cast<double>(row.endNs) - static_cast<double>(row.startNs) >
               kMargin + kNsPerByte * static_cast<double>(row.bytes);
}

}  // namespace

bool SpoolTimeline::hasRoomFor(std::size_t rows) {
    if (rows > kMostRows - m_rows) {
        m_leftOut += rows;
        return false;
    }
    m_rows += rows;
    return true;
}

void SpoolTimeline::noteTime(std::uint64_t ns) {
    m_ids.times.check(ns);
    m_latest = std::max(m_latest, static_cast<Nanoseconds>(ns));
}

void SpoolTimeline::take(const TimelineRecord& record) { m_parts = record.parts; }

void SpoolTimeline::take(const ThreadRecord& record) {
    if (m_threads.size() < kMostThreads)
        m_threads.try_emplace(
            record.id, Thread{.id = record.systemId, .name = record.name, .worker = record.worker});
}

void SpoolTimeline::take(const CallNameRecord& record) {
    if (m_names.size() < kMostNames) m_names.try_emplace(record.id, record.name);
}

void SpoolTimeline::take(const std::vector<TransferTime>& rows) {
    for (const TransferTime& row : rows) noteTime(row.startNs), noteTime(row.endNs);
    if (hasRoomFor(rows.size())) m_transfers.insert(m_transfers.end(), rows.begin(), rows.end());
}

void SpoolTimeline::take(const std::vector<CallTime>& rows) {
    for (const CallTime& row : rows) noteTime(row.startNs), noteTime(row.endNs);
    if (hasRoomFor(rows.size())) m_calls.insert(m_calls.end(), rows.begin(), rows.end());
}

void SpoolTimeline::take(const std::vector<RangeBegin>& rows) {
    for (const RangeBegin& row : rows) noteTime(row.atNs);
    if (!hasRoomFor(rows.size())) return;
    for (const RangeBegin& row : rows) m_ranges[row.span] = {.begin = row};
}

void SpoolTimeline::take(const std::vector<RangeLeft>& rows) {
    for (const RangeLeft& row : rows) {
        noteTime(row.atNs);
        const auto it = m_ranges.find(row.span);
        if (it != m_ranges.end()) it->second.endNs = std::max(row.atNs, it->second.begin.atNs);
    }
}

void SpoolTimeline::take(const ProfilerRecord& record) {
    m_ids.times.check(record.atNs);
    m_switches.push_back({.on = record.on, .at = static_cast<Nanoseconds>(record.atNs)});
}

void SpoolTimeline::take(CpuStacksRecord record) { m_stacks = std::move(record); }

void SpoolTimeline::take(const std::vector<CpuSampleRow>& rows) {
    for (const CpuSampleRow& row : rows) m_ids.times.check(row.atNs);
    if (m_samples.size() + rows.size() > kMostSamples)
        throw std::invalid_argument("more samples than are written");
    m_samples.insert(m_samples.end(), rows.begin(), rows.end());
}

void SpoolTimeline::addTransfers(Rest& rest) {
    auto& transfers = m_ids.profile.timeline.transfers;
    std::uint32_t nextStream = 0;
    for (const auto& [key, stream] : rest.streams) nextStream = std::max(nextStream, stream + 1);
    const auto deviceOf = [&](std::uint32_t ordinal) -> std::optional<std::uint32_t> {
        const auto it = m_ids.ordinals.find(ordinal);
        return it == m_ids.ordinals.end() ? std::nullopt : std::optional(it->second);
    };
    std::size_t nowhere = 0, impossible = 0;
    for (const TransferTime& row : m_transfers) {
        if (lastsTooLong(row)) {
            ++impossible;
            continue;
        }
        const auto device = deviceOf(row.device);
        if (!device) {
            ++nowhere;
            continue;
        }
        const auto [stream, isNew] =
            rest.streams.try_emplace({row.context, row.stream}, nextStream);
        if (isNew) ++nextStream;
        m_transferOf.try_emplace(row.correlation, static_cast<std::uint32_t>(transfers.size()));
        transfers.push_back({.kind = row.kind,
                             .source = row.source,
                             .target = row.target,
                             .process = m_ids.process,
                             .device = *device,
                             .peer = row.peer ? deviceOf(*row.peer) : std::nullopt,
                             .stream = stream->second,
                             .bytes = row.bytes,
                             .time = spanOf(row),
                             .fromGraph = row.fromGraph});
    }
    if (nowhere > 0)
        m_ids.profile.issues.push_back({.severity = Severity::DataLoss,
                                        .source = "record",
                                        .code = "copies-left-out",
                                        .message = "left out, because their GPU is unknown: " +
                                                   countText(nowhere, "copy", "copies")});
    if (impossible > 0)
        m_ids.profile.issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "copy-times-impossible",
             .message = "left out, because by CUPTI's times they take longer than any copy can: " +
                        countText(impossible, "copy", "copies")});
}

void SpoolTimeline::addCalls(const Rest& rest) {
    Timeline& timeline = m_ids.profile.timeline;
    std::map<std::uint32_t, std::uint32_t> names;
    for (const auto& [id, name] : m_names) {
        const auto same = std::ranges::find(timeline.callNames, name);
        names[id] = static_cast<std::uint32_t>(same - timeline.callNames.begin());
        if (same == timeline.callNames.end()) timeline.callNames.push_back(name);
    }
    for (const CallTime& row : m_calls) {
        const auto name = names.find(row.name);
        const auto thread = m_threadIndex.find(row.thread);
        if (name == names.end() || thread == m_threadIndex.end()) {
            ++m_leftOut;
            continue;
        }
        Call call{.name = name->second, .thread = thread->second, .time = spanOf(row)};
        if (timeline.callNames[call.name].kind == CallKind::Transfer) {
            const auto it = m_transferOf.find(row.correlation);
            if (it != m_transferOf.end()) call.work = it->second;
        } else if (const auto it = rest.launches.find(row.correlation);
                   it != rest.launches.end() && !it->second.empty()) {
            call.work = it->second.front().row;
        }
        timeline.calls.push_back(call);
    }
}

void SpoolTimeline::addRanges(const Rest& rest) {
    Timeline& timeline = m_ids.profile.timeline;
    // Work belongs to the ranges of the thread that issued it. If that thread has no ranges (such
    // as autograd's), the work belongs to the ranges of all threads.
    std::set<std::uint32_t> withRanges;
    for (const auto& [number, range] : m_ranges) withRanges.insert(range.begin.thread);
    std::map<std::uint32_t, IssuedWork> perThread;
    IssuedWork ofOthers;
    for (const CallTime& call : m_calls) {
        TimeSpan ran = IssuedWork::kNothing;
        if (const auto it = rest.launches.find(call.correlation); it != rest.launches.end())
            for (const Launched& launched : it->second)
                if (launched.time) ran = IssuedWork::joined(ran, *launched.time);
        if (const auto it = m_transferOf.find(call.correlation); it != m_transferOf.end())
            ran = IssuedWork::joined(ran, timeline.transfers[it->second].time);
        if (ran == IssuedWork::kNothing) continue;
        (withRanges.contains(call.thread) ? perThread[call.thread] : ofOthers)
            .add(static_cast<Nanoseconds>(call.startNs), ran);
    }
    for (auto& [thread, work] : perThread) work.sort();
    ofOthers.sort();
    for (const auto& [number, occurrence] : m_ranges) {
        const RangeBegin& begin = occurrence.begin;
        const auto range = m_ids.ranges.find(begin.range);
        const auto thread = m_threadIndex.find(begin.thread);
        if (range == m_ids.ranges.end() || thread == m_threadIndex.end()) {
            ++m_leftOut;
            continue;
        }
        RangeSpan span{.range = range->second,
                       .thread = thread->second,
                       .time = {.start = static_cast<Nanoseconds>(begin.atNs), .end = m_latest}};
        if (occurrence.endNs) span.time.end = static_cast<Nanoseconds>(*occurrence.endNs);
        TimeSpan gpu = ofOthers.within(span.time);
        if (const auto own = perThread.find(begin.thread); own != perThread.end())
            gpu = IssuedWork::joined(gpu, own->second.within(span.time));
        if (gpu != IssuedWork::kNothing) span.gpu = gpu;
        timeline.ranges.push_back(span);
    }
}

void SpoolTimeline::addSwitches() {
    for (std::size_t i = 0; i < m_switches.size(); ++i) {
        const auto [on, at] = m_switches[i];
        // Starting the profiler again while it is on changes nothing.
        if (!on || (i > 0 && m_switches[i - 1].on)) continue;
        const auto off = std::find_if(m_switches.begin() + static_cast<std::ptrdiff_t>(i),
                                      m_switches.end(), [](const Switch& s) { return !s.on; });
        const Nanoseconds end = off == m_switches.end() ? m_latest : off->at;
        m_ids.profile.timeline.profiler.push_back(
            {.process = m_ids.process, .time = {.start = at, .end = std::max(at, end)}});
    }
}

void SpoolTimeline::take(const std::vector<PaceRow>& rows) {
    if (rows.empty()) return;
    auto& pace = m_ids.self().pace;
    if (!pace) pace.emplace();
    for (const PaceRow& row : rows) {
        m_ids.times.check(row.atNs);
        // Marks without tracing that follow traced ones are from after the recording.
        std::vector<PaceMark>& marks = !row.alone             ? pace->traced
                                       : pace->traced.empty() ? pace->alone
                                                              : pace->after;
        const auto time = static_cast<Nanoseconds>(row.atNs);
        if (marks.size() == kMostPaceMarks) continue;
        if (!marks.empty() && (row.calls <= marks.back().calls || time < marks.back().time))
            throw std::invalid_argument("marks do not ascend");
        marks.push_back({.calls = row.calls, .time = time});
    }
}

void SpoolTimeline::addSamples() {
    if (!m_stacks) return;
    CpuSamples all{.period = static_cast<Nanoseconds>(std::min<std::uint64_t>(
                       m_stacks->period, std::numeric_limits<std::uint32_t>::max()))};
    if (m_stacks->cpus > 0) all.cpus = m_stacks->cpus;
    for (const CodePlace& place : m_stacks->native)
        all.frames.push_back({.module = place.module, .offset = place.offset});
    for (const CodeLine& line : m_stacks->python)
        all.frames.push_back({.function = line.function, .file = line.file, .line = line.line});
    const auto isFrame = [&](std::uint32_t frame) { return frame < all.frames.size(); };
    for (auto& stack : m_stacks->stacks)
        all.stacks.push_back(std::ranges::all_of(stack, isFrame) ? std::move(stack)
                                                                 : std::vector<std::uint32_t>());
    for (const CpuSampleRow& row : m_samples) {
        const auto thread = m_threadIndex.find(row.thread);
        if (thread == m_threadIndex.end() || row.stack >= all.stacks.size()) continue;
        all.samples.push_back({.time = static_cast<Nanoseconds>(row.atNs),
                               .thread = thread->second,
                               .stack = row.stack,
                               .wait = row.wait});
    }
    if (!all.samples.empty()) m_ids.self().cpuSamples = std::move(all);
}

void SpoolTimeline::finish(Rest rest) {
    if (!m_parts) return;
    Profile& profile = m_ids.profile;
    for (auto& [id, thread] : m_threads) {
        m_threadIndex[id] = static_cast<std::uint32_t>(profile.timeline.threads.size());
        thread.process = m_ids.process;
        profile.timeline.threads.push_back(thread);
    }
    addTransfers(rest);
    addCalls(rest);
    addRanges(rest);
    addSwitches();
    addSamples();
    // If rows are missing, the remaining ones allow no conclusions.
    if (m_leftOut > 0 || rest.damaged) m_parts = TimelineParts{};
    m_ids.self().timeline = m_parts;
    if (m_leftOut > 0)
        profile.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "timeline-cut",
             .message = fmt::format("{} entries of the timeline of process {} were left out: there "
                                    "are too many, or they could not be read",
                                    m_leftOut, m_ids.self().pid)});
}

}  // namespace roofscope
