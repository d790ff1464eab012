// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/range_path.h"
#include "gui/models/overview/overview.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/text/translated_texts.h"

namespace roofscope::gui {

static_assert(int(TimelineTone::Unknown) == int(VerdictClass::Unknown));

TimelineTone toneOf(VerdictClass verdict) { return static_cast<TimelineTone>(verdict); }

TimelineTone toneOf(TransferKind kind) {
    switch (kind) {
        case TransferKind::HostToDevice:
            return TimelineTone::ToDevice;
        case TransferKind::DeviceToHost:
            return TimelineTone::ToHost;
        case TransferKind::BetweenDevices:
            return TimelineTone::BetweenDevices;
        case TransferKind::OnDevice:
        case TransferKind::HostToHost:
        case TransferKind::Memset:
        case TransferKind::Other:
            break;
    }
    return TimelineTone::OnDevice;
}

TimelineTone toneOf(CallKind kind) {
    switch (kind) {
        case CallKind::Launch:
        case CallKind::GraphLaunch:
            return TimelineTone::LaunchCall;
        case CallKind::Wait:
            return TimelineTone::WaitCall;
        case CallKind::Transfer:
            return TimelineTone::CopyCall;
        case CallKind::Allocate:
        case CallKind::Free:
            return TimelineTone::MemoryCall;
        case CallKind::Load:
        case CallKind::Graph:
            return TimelineTone::LoadCall;
        case CallKind::Other:
            break;
    }
    return TimelineTone::OtherCall;
}

namespace {

QString processName(const Profile& profile, std::uint32_t index) {
    if (index >= profile.processes.size()) return TimelineText::tr("process %1").arg(index);
    const Process& process = profile.processes[index];
    QString name = process.rank ? TimelineText::tr("rank %1").arg(*process.rank)
                                : TimelineText::tr("process %1").arg(process.pid);
    if (!process.host.empty()) name += TimelineText::tr(" on %1").arg(shownText(process.host, 40));
    return name;
}

/// Assigns levels to ranges so that no two on a level overlap, whether they nest or not.
class Levels {
public:
    /// Takes the first level that is free for `span`. Call it in order of start, outer spans first.
    std::uint32_t take(const TimeSpan& span) {
        const auto free =
            std::ranges::find_if(m_ends, [&](Nanoseconds end) { return end <= span.start; });
        const auto level = static_cast<std::uint32_t>(free - m_ends.begin());
        if (free == m_ends.end())
            m_ends.push_back(span.end);
        else
            *free = span.end;
        return level;
    }

private:
    std::vector<Nanoseconds> m_ends;
};

/// Sorts bars into rows.
class Builder {
public:
    Builder(const Analysis& analysis, const Program* program)
        : m_analysis(analysis),
          m_profile(*analysis.profile),
          m_program(program),
          m_devices(firstDevices(m_profile)) {}

    Timeline build() {
        addLaunches();
        addTransfers();
        addCalls();
        addRanges();
        addSamples();
        addRepeats();
        for (const auto& [key, row] : m_rows)
            if (row.process != m_rows.begin()->second.process) m_timeline.severalProcesses = true;
        for (auto& [key, row] : m_rows) finish(row);
        return std::move(m_timeline);
    }

private:
    /// Device, process, kind, lane, level. Sorting by it puts the threads of a process below its
    /// first device. Calls and samples use RowKind::Ranges with the last levels, so that they
    /// follow their thread's ranges.
    using Key =
        std::tuple<std::uint32_t, std::uint32_t, Timeline::RowKind, std::uint32_t, std::uint32_t>;

    /// By process: the lowest index of the devices that it used.
    static std::vector<std::uint32_t> firstDevices(const Profile& profile) {
        constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
        std::vector<std::uint32_t> first(profile.processes.size(), kNone);
        for (const Launch& launch : profile.launches)
            if (launch.process < first.size())
                first[launch.process] = std::min(first[launch.process], launch.device);
        for (const Transfer& transfer : profile.timeline.transfers)
            first[transfer.process] = std::min(first[transfer.process], transfer.device);
        for (std::uint32_t& device : first)
            if (device == kNone) device = 0;
        return first;
    }

    Timeline::Row& add(Timeline::RowKind kind, std::uint32_t device, std::uint32_t process,
                       std::uint32_t lane, const Timeline::Bar& bar, std::uint32_t level = 0) {
        using Kind = Timeline::RowKind;
        const bool ofThread = kind == Kind::Calls || kind == Kind::Samples;
        const std::uint32_t place =
            ofThread ? Timeline::kLevels + (kind == Kind::Samples ? 1 : 0) : level;
        Timeline::Row& row =
            m_rows[Key{device, process, ofThread ? Kind::Ranges : kind, lane, place}];
        row.kind = kind;
        row.device = device;
        row.process = process;
        row.lane = lane;
        row.level = level;
        row.bars.push_back(bar);
        m_timeline.begin = m_any ? std::min(m_timeline.begin, bar.start) : bar.start;
        m_timeline.end = m_any ? std::max(m_timeline.end, bar.end) : bar.end;
        m_any = true;
        return row;
    }

    void addLaunches() {
        std::size_t placed = 0;
        for (std::uint32_t kernel = 0; kernel < m_analysis.kernels.size(); ++kernel) {
            const KernelAnalysis& known = m_analysis.kernels[kernel];
            for (const std::uint32_t index : known.group.launches) {
                if (index >= m_profile.launches.size()) continue;
                const Launch& launch = m_profile.launches[index];
                if (!launch.start || !launch.duration) continue;
                const double start = launch.start->value, duration = launch.duration->value;
                if (!std::isfinite(start) || !std::isfinite(duration) || duration < 0) continue;
                ++placed;
                add(Timeline::RowKind::Kernels, launch.device, launch.process, launch.stream,
                    {.start = start,
                     .end = start + duration,
                     .item = index,
                     .kernel = kernel,
                     .tone = toneOf(known.verdict.cls)});
            }
        }
        m_timeline.notPlaced = m_profile.launches.size() - placed;
    }

    /// Adds the repeats of the window, and its phases in a row of the busiest GPU.
    void addRepeats() {
        if (!m_program || m_rows.empty()) return;
        const Program& looped = m_program->loop ? *m_program->loop : *m_program;
        if (looped.lanes.empty() || looped.window.isWhole()) return;
        const Lane& lane = looped.lanes.front();
        m_timeline.repeats = lane.occurrences;
        for (std::uint32_t i = 0; i < looped.phases.size(); ++i) {
            const WindowPhase& phase = looped.phases[i];
            if (phase.program->lanes.empty()) continue;
            for (const TimeSpan& span : phase.program->lanes.front().occurrences)
                add(Timeline::RowKind::Phases, lane.device,
                    lane.processes.empty() ? 0 : lane.processes.front(), 0,
                    bar(span, i, TimelineTone::Range));
        }
        for (auto& [key, row] : m_rows)
            if (row.kind == Timeline::RowKind::Phases)
                for (const WindowPhase& phase : looped.phases)
                    row.names.push_back(phaseName(phase));
    }

    void addTransfers() {
        const auto& transfers = m_profile.timeline.transfers;
        for (std::uint32_t i = 0; i < transfers.size(); ++i) {
            const Transfer& transfer = transfers[i];
            const TimelineTone tone = toneOf(transfer.kind);
            add(Timeline::RowKind::Copies, transfer.device, transfer.process,
                static_cast<std::uint32_t>(tone), bar(transfer.time, i, tone));
        }
    }

    void addCalls() {
        const roofscope::Timeline& known = m_profile.timeline;
        m_timeline.callOf.assign(m_profile.launches.size(), Timeline::kNoCall);
        m_timeline.callOfCopy.assign(known.transfers.size(), Timeline::kNoCall);
        for (std::uint32_t i = 0; i < known.calls.size(); ++i) {
            const Call& call = known.calls[i];
            if (!call.work) continue;
            auto& callOf = known.callNames[call.name].kind == CallKind::Transfer
                               ? m_timeline.callOfCopy
                               : m_timeline.callOf;
            if (*call.work < callOf.size()) callOf[*call.work] = i;
        }
        std::vector<std::uint32_t> processes(m_profile.processes.size());
        std::iota(processes.begin(), processes.end(), 0U);
        for (const program::ThreadActivity& thread :
             program::threadActivities(m_profile, processes)) {
            const std::uint32_t process = known.threads[thread.thread].process;
            for (const program::CpuStretch& stretch : thread.stretches)
                add(Timeline::RowKind::Calls, m_devices[process], process, thread.thread,
                    bar(stretch.time, stretch.call, toneOf(stretch.kind)));
        }
    }

    void addRanges() {
        const roofscope::Timeline& known = m_profile.timeline;
        std::vector<std::uint32_t> order(known.ranges.size());
        std::iota(order.begin(), order.end(), 0U);
        // Outer ranges first. For equal times the lower index in profile.ranges counts as outer.
        std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
            const RangeSpan &one = known.ranges[a], &other = known.ranges[b];
            return std::tuple(one.thread, one.time.start, -one.time.end, one.range, a) <
                   std::tuple(other.thread, other.time.start, -other.time.end, other.range, b);
        });
        std::map<std::uint32_t, Levels> taken;  // by thread
        std::vector<std::uint32_t> onGpu;
        for (const std::uint32_t index : order) {
            const RangeSpan& span = known.ranges[index];
            if (span.gpu) onGpu.push_back(index);
            const std::uint32_t level = taken[span.thread].take(span.time);
            if (level >= Timeline::kLevels) {
                ++m_timeline.tooDeep;
                continue;
            }
            const std::uint32_t process = known.threads[span.thread].process;
            add(Timeline::RowKind::Ranges, m_devices[process], process, span.thread,
                bar(span.time, index, TimelineTone::Range), level);
        }
        addRangesOnGpu(onGpu);
    }

    /// Adds the GPU side of ranges, for all threads of a process together. `order`: outer ones
    /// first.
    void addRangesOnGpu(std::vector<std::uint32_t> order) {
        const roofscope::Timeline& known = m_profile.timeline;
        std::ranges::stable_sort(order, {}, [&](std::uint32_t index) {
            const TimeSpan& span = *known.ranges[index].gpu;
            return std::pair(span.start, -span.end);
        });
        std::map<std::uint32_t, Levels> taken;  // by process
        for (const std::uint32_t index : order) {
            const RangeSpan& range = known.ranges[index];
            const std::uint32_t process = known.threads[range.thread].process;
            const std::uint32_t level = taken[process].take(*range.gpu);
            if (level < Timeline::kLevelsOnGpu)
                add(Timeline::RowKind::RangesOnGpu, m_devices[process], process, 0,
                    bar(*range.gpu, index, TimelineTone::Range), level);
        }
    }

    void addSamples() {
        for (const program::SampledStretch& stretch : program::sampledStretches(m_profile)) {
            const bool runs = stretch.wait == CpuWait::None;
            Timeline::Row& row =
                add(Timeline::RowKind::Samples, m_devices[stretch.process], stretch.process,
                    stretch.thread,
                    bar(stretch.time, 0, runs ? TimelineTone::Runs : TimelineTone::WaitsInOs));
            row.bars.back().item = static_cast<std::uint32_t>(row.stretches.size());
            row.stretches.push_back(stretch);
        }
    }

    static Timeline::Bar bar(const TimeSpan& time, std::uint32_t item, TimelineTone tone) {
        return {.start = static_cast<double>(time.start) / 1e9,
                .end = static_cast<double>(time.end) / 1e9,
                .item = item,
                .tone = tone};
    }

    [[nodiscard]] QString threadName(std::uint32_t index) const {
        const std::vector<Thread>& threads = m_profile.timeline.threads;
        const Thread& thread = threads[index];
        if (thread.name.empty()) return TimelineText::tr("thread %1").arg(thread.id);
        const QString name = shownText(thread.name, 40);
        // Often all threads have the program's name: then add the id.
        const auto same = std::ranges::count_if(threads, [&](const Thread& other) {
            return other.process == thread.process && other.name == thread.name;
        });
        return same < 2 ? name : QStringLiteral("%1 %2").arg(name).arg(thread.id);
    }

    [[nodiscard]] QString nameOf(const Timeline::Row& row) const {
        using Kind = Timeline::RowKind;
        const QString ranges =
            row.level == 0 ? QStringLiteral("NVTX") : QStringLiteral("NVTX %1").arg(row.level + 1);
        if (row.kind == Kind::Calls) return TimelineText::tr("CPU · %1").arg(threadName(row.lane));
        if (row.kind == Kind::Samples)
            return TimelineText::tr("CPU · %1 · samples").arg(threadName(row.lane));
        if (row.kind == Kind::Ranges)
            return TimelineText::tr("CPU · %1").arg(threadName(row.lane)) + QStringLiteral(" · ") +
                   ranges;
        const QString gpu = TimelineText::tr("GPU %1").arg(row.device);
        if (row.kind == Kind::Phases) return TimelineText::tr("Phases");
        if (row.kind == Kind::RangesOnGpu) return QStringLiteral("%1 · %2").arg(gpu, ranges);
        if (row.kind == Timeline::RowKind::Kernels)
            return TimelineText::tr("%1 · stream %2").arg(gpu).arg(row.lane);
        return QStringLiteral("%1 · %2").arg(gpu, toneName(static_cast<TimelineTone>(row.lane)));
    }

    void finish(Timeline::Row& row) {
        row.name = nameOf(row);
        if (m_timeline.severalProcesses)
            row.name += QStringLiteral(" · ") + processName(m_profile, row.process);
        std::ranges::sort(row.bars, [](const auto& a, const auto& b) {
            return std::tie(a.start, a.item) < std::tie(b.start, b.item);
        });
        row.bars.shrink_to_fit();
        if (!std::ranges::is_sorted(row.bars, {}, &Timeline::Bar::end)) {
            row.latestEnds.reserve(row.bars.size());
            double latest = m_timeline.begin;
            for (const Timeline::Bar& bar : row.bars)
                row.latestEnds.push_back(latest = std::max(latest, bar.end));
        }
        m_timeline.rows.push_back(std::move(row));
    }

    const Analysis& m_analysis;
    const Profile& m_profile;
    const Program* m_program;
    std::vector<std::uint32_t> m_devices;  ///< by process
    std::map<Key, Timeline::Row> m_rows;
    bool m_any = false;
    Timeline m_timeline;
};

}  // namespace

Timeline buildTimeline(const Analysis& analysis, const Program* program) {
    return analysis.profile ? Builder(analysis, program).build() : Timeline();
}

}  // namespace roofscope::gui
