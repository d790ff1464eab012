// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/trace_events.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyzer/program/window/activity.h"

namespace roofscope::trace {
namespace {

/// Nobody would read more tracks for overlapping events of one kind.
constexpr std::uint32_t kMostLevels = 32;

using Part = TrackKey::Part;

auto orderOf(const TrackKey& key) {
    // Within a process, GPUs come before threads.
    return std::tuple(!key.isOfAccount(), key.process, key.part, key.device, key.thread, key.kind,
                      key.lane, key.level);
}
struct InOrder {
    bool operator()(const TrackKey& a, const TrackKey& b) const { return orderOf(a) < orderOf(b); }
};

/// Whether events of the track may contain others, as calls contain the calls that they make.
bool nests(TrackKind kind) {
    return kind == TrackKind::Ranges || kind == TrackKind::RangesOnGpu || kind == TrackKind::Calls;
}

class TraceBuilder {
public:
    TraceBuilder(const Analysis& analysis, const Program& program)
        : m_analysis(analysis), m_profile(*analysis.profile), m_program(program) {}

    TraceEvents build(const std::vector<std::size_t>& kernels, std::size_t most) {
        addAccount();
        addLaunches(kernels);
        addTransfers();
        addThreads();
        for (auto& [key, events] : m_tracks) place(key, events);
        m_trace.all = m_trace.events.size() + m_trace.overlapping;
        std::ranges::stable_sort(m_trace.events, {}, [](const TraceEvent& e) { return e.time; });
        if (m_trace.events.size() > most) cut(most);
        return std::move(m_trace);
    }

private:
    void add(const TrackKey& key, const TimeSpan& time, std::size_t row) {
        m_tracks[key].push_back({.time = time, .row = static_cast<std::uint32_t>(row)});
    }

    void addAccount() {
        for (std::uint32_t i = 0; i < m_program.lanes.size(); ++i) {
            const Lane& lane = m_program.lanes[i];
            for (std::size_t k = 0; k < lane.occurrences.size(); ++k)
                add({.process = i, .kind = TrackKind::Window}, lane.occurrences[k], k);
            for (std::size_t k = 0; k < lane.stretches.size(); ++k)
                add({.process = i, .kind = TrackKind::Account}, lane.stretches[k].time, k);
        }
        if (m_program.lanes.empty() || m_program.lanes.front().occurrences.empty()) return;
        for (std::size_t i = 0; i < m_program.actions.size(); ++i) {
            const auto [where, at] = placeOf(m_program.actions[i]);
            m_trace.places.push_back(where);
            add({.kind = TrackKind::Actions}, {at, at}, i);
        }
    }

    /// The place where an action has most of its time in the first lane.
    [[nodiscard]] std::pair<MarkedPlace, Nanoseconds> placeOf(const Action& action) const {
        const Lane& lane = m_program.lanes.front();
        const auto longest = longestLaunch(action, lane);
        if (longest) return {MarkedPlace::LongestLaunch, longest->start};
        const auto onGpu = [](const ClassStretch& s) { return !isIdle(s.cls); };
        auto from = lane.stretches.begin(), to = lane.stretches.end();
        MarkedPlace where = MarkedPlace::LongestStretch;
        if (action.rule == action_rule::kWorkBeforeGpu) {
            to = std::find_if(from, to, onGpu);
            where = MarkedPlace::BeforeGpu;
        } else if (action.rule == action_rule::kWorkAfterGpu) {
            from = std::find_if(lane.stretches.rbegin(), lane.stretches.rend(), onGpu).base();
            where = MarkedPlace::AfterGpu;
        }
        const ClassStretch* best = nullptr;
        for (; from != to; ++from)
            if (from->cls == action.timeClass &&
                (!best || from->time.length() > best->time.length()))
                best = &*from;
        if (!best) return {MarkedPlace::Window, lane.occurrences.front().start};
        return {where, best->time.start};
    }

    [[nodiscard]] std::optional<TimeSpan> longestLaunch(const Action& action,
                                                        const Lane& lane) const {
        std::optional<TimeSpan> longest;
        for (const std::uint32_t kernel : action.kernels)
            for (const std::uint32_t row : m_analysis.kernels[kernel].group.launches) {
                const Launch& launch = m_profile.launches[row];
                const auto span = program::spanOf(launch);
                if (!span || launch.device != lane.device || !isCounted(*span, lane)) continue;
                if (!longest || span->length() > longest->length()) longest = span;
            }
        return longest;
    }
    static bool isCounted(const TimeSpan& span, const Lane& lane) {
        const auto after =
            std::ranges::upper_bound(lane.occurrences, span.start, {}, &TimeSpan::start);
        return after != lane.occurrences.begin() && span.start < std::prev(after)->end;
    }

    void addLaunches(const std::vector<std::size_t>& kernels) {
        for (const std::size_t kernel : kernels)
            for (const std::uint32_t row : m_analysis.kernels[kernel].group.launches) {
                const Launch& launch = m_profile.launches[row];
                if (const auto span = program::spanOf(launch))
                    add({.part = Part::Device,
                         .process = launch.process,
                         .device = launch.device,
                         .kind = TrackKind::Kernels,
                         .lane = launch.stream},
                        *span, row);
            }
    }

    void addTransfers() {
        const auto& transfers = m_profile.timeline.transfers;
        for (std::size_t i = 0; i < transfers.size(); ++i) {
            const Transfer& t = transfers[i];
            add({.part = Part::Device,
                 .process = t.process,
                 .device = t.device,
                 .kind = TrackKind::Copies,
                 .lane = static_cast<std::uint32_t>(t.kind)},
                t.time, i);
        }
    }

    [[nodiscard]] TrackKey ofThread(std::uint32_t thread, TrackKind kind) const {
        return {.part = Part::Threads,
                .process = m_profile.timeline.threads[thread].process,
                .thread = thread,
                .kind = kind};
    }

    void addThreads() {
        const Timeline& t = m_profile.timeline;
        std::map<std::uint32_t, std::uint32_t> firstDevice;  // by process
        for (const auto& [key, events] : m_tracks)
            if (key.part == Part::Device) firstDevice.try_emplace(key.process, key.device);
        for (std::size_t i = 0; i < t.ranges.size(); ++i) {
            const RangeSpan& range = t.ranges[i];
            add(ofThread(range.thread, TrackKind::Ranges), range.time, i);
            const std::uint32_t process = t.threads[range.thread].process;
            if (range.gpu)
                add({.part = Part::Device,
                     .process = process,
                     .device = firstDevice.contains(process) ? firstDevice[process] : 0,
                     .kind = TrackKind::RangesOnGpu},
                    *range.gpu, i);
        }
        for (std::size_t i = 0; i < t.calls.size(); ++i)
            add(ofThread(t.calls[i].thread, TrackKind::Calls), t.calls[i].time, i);
        m_trace.samples = program::sampledStretches(m_profile);
        for (std::size_t i = 0; i < m_trace.samples.size(); ++i)
            add(ofThread(m_trace.samples[i].thread, TrackKind::Samples), m_trace.samples[i].time,
                i);
    }

    /// Spreads the events of a track over levels, so that no two events of a level overlap partly:
    /// viewers would cut off the later one at the end of the earlier.
    void place(TrackKey key, std::vector<TraceEvent>& events) {
        const bool nested = nests(key.kind);
        std::ranges::stable_sort(events, {}, [nested](const TraceEvent& e) {
            return std::pair(e.time.start, nested ? -e.time.end : e.time.end);
        });
        struct Level {
            /// ends of the events around the current one, innermost last
            std::vector<Nanoseconds> open;
            std::uint32_t track = 0;
        };
        std::vector<Level> levels;
        for (TraceEvent& event : events) {
            const auto fits = [&](Level& level) {
                while (!level.open.empty() && level.open.back() <= event.time.start)
                    level.open.pop_back();
                return level.open.empty() || (nested && event.time.end <= level.open.back());
            };
            auto level = std::ranges::find_if(levels, fits);
            if (level == levels.end()) {
                if (levels.size() == kMostLevels) {
                    ++m_trace.overlapping;
                    continue;
                }
                key.level = static_cast<std::uint32_t>(levels.size());
                levels.push_back({.track = static_cast<std::uint32_t>(m_trace.tracks.size())});
                m_trace.tracks.push_back(key);
                level = std::prev(levels.end());
            }
            level->open.push_back(event.time.end);
            event.track = level->track;
            m_trace.events.push_back(event);
        }
        events = {};
    }

    /// Keeps `most` events: those in progress when the window begins, and those that start from
    /// then on. If fewer remain after that moment, keeps the last ones instead.
    void cut(std::size_t most) {
        std::vector<TraceEvent>& events = m_trace.events;
        std::size_t first = 0;
        if (!m_program.lanes.empty() && !m_program.lanes.front().occurrences.empty())
            first = static_cast<std::size_t>(
                std::ranges::lower_bound(events, m_program.lanes.front().occurrences.front().start,
                                         {}, [](const TraceEvent& e) { return e.time.start; }) -
                events.begin());
        first = std::min(first, events.size() - most);
        TimeSpan shown{events[first].time.start, events[first].time.start};
        std::vector<TraceEvent> kept;
        for (std::size_t i = 0; i < first && kept.size() < most; ++i)
            if (events[i].time.end > shown.start) kept.push_back(events[i]);
        for (std::size_t i = first; kept.size() < most && i < events.size(); ++i) {
            kept.push_back(events[i]);
            shown.end = std::max(shown.end, events[i].time.start);
        }
        m_trace.shown = shown;
        events = std::move(kept);
    }

    const Analysis& m_analysis;
    const Profile& m_profile;
    const Program& m_program;
    std::map<TrackKey, std::vector<TraceEvent>, InOrder> m_tracks;
    TraceEvents m_trace;
};

}  // namespace

TraceEvents traceEvents(const Analysis& analysis, const Program& program,
                        const std::vector<std::size_t>& kernels, std::size_t most) {
    return TraceBuilder(analysis, program).build(kernels, most);
}

}  // namespace roofscope::trace
