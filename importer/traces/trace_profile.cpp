// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/trace_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "importer/import_note.h"
#include "importer/traces/cuda_calls.h"
#include "importer/traces/overhead.h"
#include "importer/traces/python_stacks.h"
#include "importer/traces/trace_context.h"
#include "importer/traces/trace_links.h"
#include "importer/traces/trace_sites.h"
#include "importer/traces/work_spans.h"
#include "profile/text/count_text.h"

namespace roofscope::traces {
namespace {

constexpr double kNanosecond = 1e-9;

/// "2026-11-26T20:58:41Z"; empty if no trace can be from that date.
std::string dateOf(std::uint64_t nanosecondsSince1970) {
    constexpr std::uint64_t kFirst = 1'262'304'000, kLast = 4'102'444'800;  // 2010, 2100
    const std::uint64_t seconds = nanosecondsSince1970 / 1'000'000'000;
    if (seconds < kFirst || seconds > kLast) return {};
    const auto time = static_cast<std::time_t>(seconds);
    std::tm utc{};
    if (gmtime_r(&time, &utc) == nullptr) return {};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                       utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

/// The number of a process or thread. 0 (unknown) if it does not fit into a profile: some writers
/// use hashes.
std::int64_t held(std::int64_t number) {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    return -kMost <= number && number <= kMost ? number : 0;
}

bool isGraphLaunch(const CallName& name) { return name.kind == CallKind::GraphLaunch; }

/// Builds a profile from the rows of a trace.
class Builder {
public:
    explicit Builder(TraceRows& rows) : m_rows(rows) {}

    Profile run() {
        m_links = linkRows(m_rows);
        m_overhead = placeOverhead(m_rows);
        m_contexts = contextsOf(m_rows);
        m_profile.ranges = std::move(m_contexts.paths);
        chooseZero();
        addProcess();
        addCallNames();
        addThreads();
        m_profile.processes.front().cpuSamples = pythonStacks(m_rows, m_threadOf, m_zero);
        addDevices();
        addWork();
        addWholeGraphs();
        addCalls();
        addRanges();
        noteWaits();
        m_profile.callSites = m_sites.finish();
        m_profile.counters = CounterTable(m_profile.launches.size());
        setParts();
        setCapture();
        addIssues();
        return std::move(m_profile);
    }

private:
    [[nodiscard]] TimeSpan shifted(const TimeSpan& span) const {
        return {span.start - m_zero, span.end - m_zero};
    }

    /// Time 0 is the start of the first kernel, or else of the first other work or call.
    void chooseZero() {
        std::optional<Nanoseconds> kernel, any;
        for (const WorkRow& row : m_rows.work) {
            if (!row.timed) continue;
            any = std::min(any.value_or(row.time.start), row.time.start);
            if (row.kind == WorkKind::Kernel)
                kernel = std::min(kernel.value_or(row.time.start), row.time.start);
        }
        for (const CallRow& row : m_rows.calls)
            if (!any) any = row.time.start;
        m_zero = kernel.value_or(any.value_or(0));
    }

    void addProcess() {
        Process& process = m_profile.processes.emplace_back();
        std::map<std::int64_t, std::size_t> calls;  // number of calls by process id
        for (const CallRow& call : m_rows.calls) ++calls[m_rows.threads[call.thread].pid];
        if (calls.empty())
            for (const FrameRow& frame : m_rows.frames) ++calls[m_rows.threads[frame.thread].pid];
        std::size_t most = 0;
        for (const auto& [pid, count] : calls)
            if (count > most) {
                most = count;
                process.pid = held(pid);
            }
        m_processes = calls.size();
        process.host = m_rows.hostName;
        if (m_rows.rank && (!m_rows.worldSize || *m_rows.rank < *m_rows.worldSize)) {
            process.rank = m_rows.rank;
            process.worldSize = m_rows.worldSize;
        }
        process.driverVersion = m_rows.driverVersion;
        process.cuptiVersion = m_rows.cuptiVersion;
        process.endedCleanly = true;
        // Without a base time, times count from 1970 or, in old traces, from the machine's start.
        const std::uint64_t base = m_rows.baseTime.value_or(0);
        constexpr std::uint64_t kLatest = 1ULL << 62;
        if (base < kLatest && m_zero >= 0) {
            const std::uint64_t zero = base + static_cast<std::uint64_t>(m_zero);
            m_profile.capture.createdUtc = dateOf(zero);
            if (!m_profile.capture.createdUtc.empty()) process.clockZero = zero;
        }
    }

    /// The kinds of all calls, by name. The profiler calls unknown functions "INVALID"; their kind
    /// follows from the work that they issued.
    [[nodiscard]] std::vector<CallKind> kindsOfCalls() const {
        std::map<std::uint32_t, CallKind> ofName;
        std::vector<CallKind> kinds;
        kinds.reserve(m_rows.calls.size());
        for (const CallRow& call : m_rows.calls) {
            const auto [entry, isNew] = ofName.try_emplace(call.name);
            if (isNew) entry->second = kindOfCall(m_rows.names[call.name]);
            kinds.push_back(entry->second);
        }
        for (std::size_t i = 0; i < m_rows.work.size(); ++i) {
            const WorkRow& work = m_rows.work[i];
            const std::uint32_t call = m_links.callOfWork[i];
            if (call == kNoRow || ofName.at(m_rows.calls[call].name) != CallKind::Other) continue;
            if (work.graphNode)
                kinds[call] = CallKind::GraphLaunch;
            else if (work.kind == WorkKind::Kernel && kinds[call] != CallKind::GraphLaunch)
                kinds[call] = CallKind::Launch;
            else if (kinds[call] == CallKind::Other)
                kinds[call] = CallKind::Transfer;
        }
        return kinds;
    }

    void addCallNames() {
        std::map<std::pair<std::uint32_t, CallKind>, std::uint32_t> known;
        m_callName.reserve(m_rows.calls.size());
        auto& names = m_profile.timeline.callNames;
        const std::vector<CallKind> kinds = kindsOfCalls();
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const std::uint32_t name = m_rows.calls[i].name;
            const auto [entry, isNew] =
                known.try_emplace({name, kinds[i]}, static_cast<std::uint32_t>(names.size()));
            if (isNew) names.push_back({.name = m_rows.names[name], .kind = kinds[i]});
            m_callName.push_back(entry->second);
        }
    }

    /// Adds the threads that called CUDA or were in a range.
    void addThreads() {
        m_threadOf.assign(m_rows.threads.size(), kNoRow);
        std::vector<bool> used(m_rows.threads.size(), false);
        for (const CallRow& call : m_rows.calls) used[call.thread] = true;
        for (const RangeRow& range : m_contexts.ranges) used[range.thread] = true;
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (!used[i]) continue;
            m_threadOf[i] = static_cast<std::uint32_t>(m_profile.timeline.threads.size());
            const TraceThread& thread = m_rows.threads[i];
            m_profile.timeline.threads.push_back(
                {.process = 0, .id = held(thread.id), .name = thread.name});
        }
    }

    void addDevices() {
        std::map<std::uint32_t, std::uint32_t> used;
        for (const WorkRow& row : m_rows.work) used.emplace(row.device, 0);
        for (const WholeGraphRow& row : m_rows.wholeGraphs) used.emplace(row.device, 0);
        for (auto& [number, index] : used) {
            index = static_cast<std::uint32_t>(m_profile.devices.size());
            const auto known = m_rows.devices.find(number);
            m_profile.devices.push_back(known == m_rows.devices.end() ? Device{} : known->second);
        }
        m_deviceOf = std::move(used);
    }

    /// The time at which work was issued: the start of its call or, if unknown, its own start.
    [[nodiscard]] Nanoseconds issuedAt(std::uint32_t row) const {
        const std::uint32_t call = m_links.callOfWork[row];
        return call == kNoRow ? m_rows.work[row].time.start : m_rows.calls[call].time.start;
    }

    void addWork() {
        std::vector<std::uint32_t> order(m_rows.work.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
            return std::pair(issuedAt(i), m_rows.work[i].time.start);
        });
        m_workOfCall.assign(m_rows.calls.size(), kNoRow);
        m_ranOfCall.assign(m_rows.calls.size(), WorkSpans::kNothing);
        std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::uint32_t> streams;
        std::vector<StreamOrder> orders;
        for (const std::uint32_t i : order) {
            const WorkRow& row = m_rows.work[i];
            const auto [entry, isNew] = streams.try_emplace(
                {row.device, row.context, row.stream}, static_cast<std::uint32_t>(streams.size()));
            if (isNew) orders.emplace_back();
            const std::uint32_t stream = entry->second;
            const std::uint32_t call = m_links.callOfWork[i];
            place(row, call, orders[stream]);
            if (call != kNoRow && row.timed)
                m_ranOfCall[call] = WorkSpans::joined(m_ranOfCall[call], row.time);
            const bool fromGraph =
                row.graphNode || (call != kNoRow && isGraphLaunch(nameOfCall(call)));
            if (row.kind == WorkKind::Kernel)
                addLaunch(row, stream, call, fromGraph);
            else
                addTransfer(row, stream, call, fromGraph);
        }
        for (const StreamOrder& stream : orders) closeUntimed(stream, m_lastEnd);
        m_rows.work = {};
    }

    /// What is known of a stream so far, in the order in which its work was issued.
    struct StreamOrder {
        std::optional<Nanoseconds> doneAt;  ///< end of its latest work; on the trace's clock
        std::vector<std::size_t> open;      ///< of Timeline::untimed: work without an end
    };

    /// Notes when work with an impossible time must have run, as dropImpossibleTimes() does: after
    /// its call and the earlier work of its stream, and before the next. Without a call: unknown.
    void place(const WorkRow& row, std::uint32_t call, StreamOrder& stream) {
        if (row.timed) {
            closeUntimed(stream, row.time.start);
            stream.open.clear();
            stream.doneAt = std::max(stream.doneAt.value_or(row.time.end), row.time.end);
            m_lastEnd = std::max(m_lastEnd, row.time.end);
            return;
        }
        if (!isPlaced(row, call)) return;
        const Nanoseconds called = m_rows.calls[call].time.start;
        const Nanoseconds from = std::max(called, stream.doneAt.value_or(called));
        UntimedWork untimed{
            .process = 0, .device = m_deviceOf[row.device], .time = shifted({from, from})};
        if (row.kind == WorkKind::Kernel)
            untimed.launch = static_cast<std::uint32_t>(m_profile.launches.size());
        stream.open.push_back(m_profile.timeline.untimed.size());
        m_profile.timeline.untimed.push_back(untimed);
    }

    /// Whether it is known about when work with an impossible time ran.
    [[nodiscard]] bool isPlaced(const WorkRow& row, std::uint32_t call) const {
        return !row.timed && call != kNoRow && m_links.clocksAgree();
    }

    void closeUntimed(const StreamOrder& stream, Nanoseconds end) {
        for (const std::size_t at : stream.open) {
            TimeSpan& time = m_profile.timeline.untimed[at].time;
            time.end = std::max(time.start, end - m_zero);
        }
    }

    /// Adds graphs that were recorded as a whole, whose contents are unknown.
    void addWholeGraphs() {
        for (const WholeGraphRow& row : m_rows.wholeGraphs)
            m_profile.timeline.untimed.push_back(
                {.process = 0, .device = m_deviceOf[row.device], .time = shifted(row.time)});
    }

    [[nodiscard]] const CallName& nameOfCall(std::uint32_t call) const {
        return m_profile.timeline.callNames[m_callName[call]];
    }

    void addLaunch(const WorkRow& row, std::uint32_t stream, std::uint32_t call, bool fromGraph) {
        const auto index = static_cast<std::uint32_t>(m_profile.launches.size());
        Launch& launch = m_profile.launches.emplace_back();
        launch.kernel = kernelOf(row);
        launch.device = m_deviceOf[row.device];
        launch.stream = stream;
        launch.grid = row.grid;
        launch.block = row.block;
        launch.dynamicSharedBytes = row.shared.value_or(0);
        launch.fromGraph = fromGraph;
        if (row.timed) {
            // Exact, since these are whole nanoseconds below 2^53.
            launch.start = Seconds{static_cast<double>(row.time.start - m_zero) * kNanosecond};
            launch.duration = Seconds{static_cast<double>(row.time.length()) * kNanosecond};
        }
        if (call == kNoRow) return;
        const CallContext& context = m_contexts.ofCall[call];
        if (context.path != kNoPath) launch.range = context.path;
        m_sites.addLaunch(launch.kernel, context);
        // For a call that copies, Call::work refers to transfers.
        if (nameOfCall(call).kind != CallKind::Transfer && m_workOfCall[call] == kNoRow)
            m_workOfCall[call] = index;
    }

    std::uint32_t kernelOf(const WorkRow& row) {
        const auto [entry, isNew] =
            m_kernels.try_emplace({row.name, row.symbol, row.registers.value_or(kNoRow),
                                   row.staticShared.value_or(kNoRow)},
                                  static_cast<std::uint32_t>(m_profile.kernels.size()));
        if (isNew) {
            Kernel& kernel = m_profile.kernels.emplace_back();
            kernel.name = m_rows.names[row.name];
            kernel.symbol = row.symbol != 0 ? m_rows.names[row.symbol] : kernel.name;
            kernel.registersPerThread = row.registers;
            kernel.staticSharedBytes = row.staticShared;
        }
        return entry->second;
    }

    void addTransfer(const WorkRow& row, std::uint32_t stream, std::uint32_t call, bool fromGraph) {
        if (!row.timed) {
            m_untimedCopies += isPlaced(row, call) ? 0 : 1;
            return;
        }
        const TransferName name = row.kind == WorkKind::Memset
                                      ? TransferName{.kind = TransferKind::Memset}
                                      : transferNamed(m_rows.names[row.name]);
        const auto index = static_cast<std::uint32_t>(m_profile.timeline.transfers.size());
        Transfer transfer{.kind = name.kind,
                          .source = name.source,
                          .target = name.target,
                          .process = 0,
                          .device = m_deviceOf[row.device],
                          .peer = std::nullopt,
                          .stream = stream,
                          .bytes = row.bytes.value_or(0),
                          .time = shifted(row.time),
                          .fromGraph = fromGraph};
        if (name.kind == TransferKind::BetweenDevices && row.peer)
            if (const auto peer = m_deviceOf.find(*row.peer); peer != m_deviceOf.end())
                transfer.peer = peer->second;
        m_profile.timeline.transfers.push_back(transfer);
        if (call != kNoRow && nameOfCall(call).kind == CallKind::Transfer &&
            m_workOfCall[call] == kNoRow)
            m_workOfCall[call] = index;
    }

    void addCalls() {
        auto& calls = m_profile.timeline.calls;
        calls.reserve(m_rows.calls.size());
        const bool agree = m_links.clocksAgree();
        for (std::uint32_t i = 0; i < m_rows.calls.size(); ++i) {
            const CallRow& row = m_rows.calls[i];
            Call call{.name = m_callName[i],
                      .thread = m_threadOf[row.thread],
                      .time = shifted(row.time),
                      .work = std::nullopt};
            if (agree && m_workOfCall[i] != kNoRow) call.work = m_workOfCall[i];
            calls.push_back(call);
            const CallKind kind = nameOfCall(i).kind;
            if (kind == CallKind::Wait || kind == CallKind::Transfer ||
                kind == CallKind::Allocate || kind == CallKind::Free)
                m_sites.addCall(row.name, m_contexts.ofCall[i]);
        }
    }

    void addRanges() {
        std::map<std::uint32_t, WorkSpans> ofThread;
        WorkSpans ofHelpers;
        for (std::uint32_t i = 0; i < m_rows.calls.size(); ++i) {
            if (m_ranOfCall[i] == WorkSpans::kNothing) continue;
            const CallRow& call = m_rows.calls[i];
            (m_contexts.helper[call.thread] ? ofHelpers : ofThread[call.thread])
                .add(call.time.start, m_ranOfCall[i]);
        }
        for (auto& [thread, work] : ofThread) work.sort();
        ofHelpers.sort();
        auto& ranges = m_profile.timeline.ranges;
        ranges.reserve(m_contexts.ranges.size());
        for (const RangeRow& row : m_contexts.ranges) {
            TimeSpan gpu = ofHelpers.within(row.time);
            if (const auto own = ofThread.find(row.thread); own != ofThread.end())
                gpu = WorkSpans::joined(gpu, own->second.within(row.time));
            RangeSpan span{.range = row.path,
                           .thread = m_threadOf[row.thread],
                           .time = shifted(row.time),
                           .gpu = std::nullopt};
            if (gpu != WorkSpans::kNothing) span.gpu = shifted(gpu);
            ranges.push_back(span);
        }
    }

    /// Sets Launch::afterSync.
    void noteWaits() {
        const Timeline& timeline = m_profile.timeline;
        std::vector<std::uint32_t> order(timeline.calls.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        // Sort outer calls before those inside them.
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
            return std::pair(timeline.calls[i].time.start, -timeline.calls[i].time.end);
        });
        std::vector<bool> waited(timeline.threads.size(), false);
        for (const std::uint32_t i : order) {
            const Call& call = timeline.calls[i];
            switch (timeline.callNames[call.name].kind) {
                case CallKind::Wait:
                    waited[call.thread] = true;
                    break;
                case CallKind::Transfer:
                    if (call.work && call.time.end >= timeline.transfers[*call.work].time.end)
                        waited[call.thread] = true;
                    break;
                case CallKind::Launch:
                case CallKind::GraphLaunch:
                    if (call.work) m_profile.launches[*call.work].afterSync = waited[call.thread];
                    waited[call.thread] = false;
                    break;
                default:
                    break;
            }
        }
    }

    /// Sets which parts the trace has completely; all others are unknown.
    void setParts() {
        Process& process = m_profile.processes.front();
        process.launchesSeen = m_profile.launches.size();
        const Timeline& timeline = m_profile.timeline;
        const auto called = [&](CallKind kind) {
            return std::ranges::any_of(timeline.callNames,
                                       [&](const CallName& name) { return name.kind == kind; });
        };
        const bool calls = !timeline.calls.empty() && m_rows.losses.calls == 0 &&
                           m_links.clocksAgree() && !m_rows.losses.cuptiStopped;
        TimelineParts parts;
        // If calls copied but there are no copies, copies were not recorded. If there are neither,
        // nothing is known about copies, unless other calls were recorded.
        parts.copies = m_untimedCopies == 0 && !m_rows.losses.cuptiStopped &&
                       (!timeline.transfers.empty() ||
                        (!timeline.calls.empty() && !called(CallKind::Transfer)));
        const bool launched = called(CallKind::Launch) || called(CallKind::GraphLaunch);
        parts.launches = parts.waits = parts.allocations = parts.graphs = calls && launched;
        // The profiler records all runtime calls but, of the driver's, only launches. Only a newer
        // CUPTI reports the overhead of loading code.
        parts.loads = parts.launches && m_overhead.loads > 0;
        parts.ranges = m_rows.losses.ranges == 0 && m_contexts.rangesLeftOut == 0 &&
                       (!timeline.ranges.empty() || m_rows.anyOperator);
        process.timeline = parts;
    }

    void setCapture() {
        Capture& capture = m_profile.capture;
        capture.origin = "imported";
        capture.strategy =
            fromNsys() ? "imported from Nsight Systems" : "imported from PyTorch's profiler";
        capture.cacheControl = capture.clockControl = "not in the trace";
        capture.timingRuns = 1;
    }

    void addIssue(Severity severity, const char* code, std::string message, std::string advice) {
        addImportNote(m_profile, code, std::move(message), std::move(advice), severity);
    }

    [[nodiscard]] bool fromNsys() const { return m_rows.source == TraceSource::NsightSystems; }

    /// Adds issues that only occur with Nsight Systems.
    void addIssuesOfNsys() {
        const TraceLosses& losses = m_rows.losses;
        if (losses.wholeGraphs > 0)
            addIssue(Severity::DataLoss, "trace-graphs-whole",
                     "recorded as a whole, so what their kernels did is not known: " +
                         countText(losses.wholeGraphs, "launch of a CUDA graph",
                                   "launches of CUDA graphs"),
                     "record with nsys profile --cuda-graph-trace=node");
        if (losses.pageMoves > 0)
            addIssue(Severity::Info, "trace-page-moves-left-out",
                     "left out: " + countText(losses.pageMoves, "move of pages of managed memory",
                                              "moves of pages of managed memory"),
                     {});
    }

    void addIssues() {
        const TraceLosses& losses = m_rows.losses;
        const TimelineParts& parts = *m_profile.processes.front().timeline;
        addIssue(Severity::Info, "trace-times-only",
                 fromNsys() ? "A recording of Nsight Systems has times and no counters. What it "
                              "costs to record each call is not subtracted."
                            : "A trace of PyTorch's profiler has times and no counters. Recording "
                              "operators makes the CPU slower, so the GPU waits longer for "
                              "launches than without the profiler.",
                 "record the program with roofscope to see why kernels take their time");
        addIssuesOfNsys();
        if (losses.cuptiStopped)
            addIssue(Severity::DataLoss, "trace-stopped-early",
                     "The profiler ran out of memory for its records, so the trace lacks some.",
                     "trace fewer steps (torch.profiler.schedule)");
        if (losses.impossibleTimes > 0)
            addIssue(
                Severity::DataLoss, "trace-times-impossible",
                countText(losses.impossibleTimes, "kernel or copy has", "kernels or copies have") +
                    " a time that cannot be, and counts as not timed",
                "trace again");
        const auto leftOut = [&](Severity severity, const char* code, std::uint64_t count,
                                 const char* one, const char* many) {
            if (count > 0)
                addIssue(severity, code,
                         "left out, because their time or thread cannot be: " +
                             countText(count, one, many),
                         "trace again");
        };
        leftOut(Severity::DataLoss, "trace-calls-left-out", losses.calls, "call", "calls");
        leftOut(Severity::Info, "trace-operators-left-out", losses.operators,
                "operator or Python function", "operators or Python functions");
        leftOut(Severity::DataLoss, "trace-ranges-left-out", losses.ranges, "range", "ranges");
        if (losses.unsizedCopies > 0)
            addIssue(Severity::DataLoss, "trace-copies-unsized",
                     "without their size, which counts as 0 bytes: " +
                         countText(losses.unsizedCopies, "copy", "copies"),
                     {});
        if (!m_links.clocksAgree())
            addIssue(Severity::DataLoss, "trace-clocks-differ",
                     fmt::format("{} of {} kernels and copies begin before the call that issued "
                                 "them: the clocks of CPU and GPU disagree, so it is not known "
                                 "why the GPU was idle",
                                 m_links.early, m_links.linked),
                     "trace again");
        if (m_links.withoutCall * 100 > m_links.linked && m_links.withoutCall > 10)
            addIssue(
                Severity::DataLoss, "trace-calls-missing",
                countText(m_links.withoutCall, "kernel or copy has", "kernels or copies have") +
                    " no call in the trace: why the GPU was idle before them is not known",
                "trace again");
        if (m_overhead.profilers > 0)
            addIssue(Severity::Info, "trace-profiler-overhead",
                     fmt::format("{} itself held the program up: {}, {:.3g} ms ({}). "
                                 "The program is not blamed for idle time meanwhile.",
                                 fromNsys() ? "Nsight Systems" : "PyTorch's profiler",
                                 countText(m_overhead.profilers, "time", "times"),
                                 static_cast<double>(m_overhead.time) * 1e-6,
                                 fmt::join(m_overhead.names, ", ")),
                     {});
        if (m_links.ambiguousCalls > 0)
            addIssue(Severity::Info, "trace-calls-ambiguous",
                     countText(m_links.ambiguousCalls, "call shares", "calls share") +
                         " a correlation number with another: what they issued is not known",
                     m_processes > 1 ? "open the trace of one process" : "");
        if (m_processes > 1)
            addIssue(
                Severity::Info, "trace-of-several-processes",
                fmt::format("the trace has calls of {} processes, which count as one", m_processes),
                "open the trace of each process, and roofscope merge them");
        if (!parts.launches && m_links.clocksAgree() && losses.calls == 0 && !losses.cuptiStopped)
            addIssue(Severity::Info, "trace-without-calls",
                     "The trace has no launch calls, so it is not known why the GPU was idle.",
                     fromNsys() ? "record with nsys profile --trace=cuda,nvtx"
                                : "record with activities=[ProfilerActivity.CPU, "
                                  "ProfilerActivity.CUDA]");
        if (!m_rows.fractions)
            addIssue(Severity::Info, "trace-whole-microseconds",
                     "Times in this trace are whole microseconds, so those of short kernels are "
                     "off by up to one each.",
                     "a newer PyTorch writes nanoseconds");
        const std::uint64_t places = m_contexts.rangesLeftOut + m_sites.leftOut();
        if (places > 0)
            addIssue(Severity::Info, "trace-places-left-out",
                     "left out, because there are too many: " +
                         countText(places, "range or launch site", "ranges or launch sites"),
                     {});
    }

    TraceRows& m_rows;
    Profile m_profile;
    TraceLinks m_links;
    PlacedOverhead m_overhead;
    TraceContexts m_contexts;
    SiteCounter m_sites{m_rows.names};
    Nanoseconds m_zero = 0;
    std::size_t m_processes = 0;
    std::uint64_t m_untimedCopies = 0;  ///< of which it is not known when they ran
    Nanoseconds m_lastEnd = std::numeric_limits<Nanoseconds>::min() / 4;  ///< of timed work
    std::vector<std::uint32_t> m_callName;    ///< by call: index into Timeline::callNames
    std::vector<std::uint32_t> m_threadOf;    ///< by thread: index into Timeline::threads
    std::vector<std::uint32_t> m_workOfCall;  ///< by call: its work, as in Call::work
    std::vector<TimeSpan> m_ranOfCall;        ///< by call: when its work ran, on the trace's clock
    std::map<std::uint32_t, std::uint32_t> m_deviceOf;
    /// Index of a kernel by name, symbol, registers and static shared memory.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
        m_kernels;
};

}  // namespace

Profile profileOf(TraceRows& rows) { return Builder(rows).run(); }

}  // namespace roofscope::traces
