// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "profile/codec/codec_table.h"
#include "profile/codec/codec_timeline.h"

namespace roofscope {
namespace {

/// Checks the timeline up to the first fault.
class Check {
public:
    explicit Check(const Profile& profile) : m_profile(profile), m_timeline(profile.timeline) {}

    Problem run() {
        const std::size_t processes = m_profile.processes.size();
        const std::size_t devices = m_profile.devices.size();
        const std::size_t threads = m_timeline.threads.size();
        each("threads", m_timeline.threads, [&](const Thread& thread) {
            index("process", thread.process, "processes", processes);
            if (!m_problem && (thread.id < -kMostWhole || thread.id > kMostWhole))
                m_problem = {place("id"), "is a number beyond 2^53"};
        });
        each("transfers", m_timeline.transfers, [&](const Transfer& t) {
            index("process", t.process, "processes", processes);
            index("device", t.device, "devices", devices);
            if (t.peer) index("peer", *t.peer, "devices", devices);
            forward("duration_ns", t.time);
        });
        each("calls", m_timeline.calls, [&](const Call& call) {
            index("thread", call.thread, "threads", threads);
            forward("duration_ns", call.time);
            index("name", call.name, "call_names", m_timeline.callNames.size());
            if (m_problem || !call.work) return;
            const bool transfer = m_timeline.callNames[call.name].kind == CallKind::Transfer;
            index("work_delta", *call.work, transfer ? "transfers" : "launches",
                  transfer ? m_timeline.transfers.size() : m_profile.launches.size());
        });
        each("ranges", m_timeline.ranges, [&](const RangeSpan& range) {
            index("range", range.range, "ranges", m_profile.ranges.size());
            index("thread", range.thread, "threads", threads);
            forward("duration_ns", range.time);
            if (range.gpu) forward("gpu_duration_ns", *range.gpu, range.time.start);
        });
        each("profiler", m_timeline.profiler, [&](const ProfilerSpan& span) {
            index("process", span.process, "processes", processes);
            forward("duration_ns", span.time);
        });
        each("untimed", m_timeline.untimed, [&](const UntimedWork& work) {
            index("process", work.process, "processes", processes);
            index("device", work.device, "devices", devices);
            if (work.launch) index("launch", *work.launch, "launches", m_profile.launches.size());
            forward("duration_ns", work.time);
        });
        return m_problem;
    }

private:
    template <class Row, class Look>
    void each(const char* table, const std::vector<Row>& rows, Look look) {
        m_table = table;
        m_before = 0;
        for (m_row = 0; m_row < rows.size() && !m_problem; ++m_row) look(rows[m_row]);
    }
    [[nodiscard]] std::string place(const char* column) const {
        return fmt::format("/{}/{}/{}", m_table, column, m_row);
    }
    void index(const char* column, std::uint32_t index, const char* list, std::size_t size) {
        if (!m_problem && index >= size) m_problem = outside(place(column), index, list, size);
    }
    void forward(const char* column, const TimeSpan& span) {
        forward(column, span, std::exchange(m_before, span.start));
    }
    /// `before`: the start is stored as a difference from this.
    void forward(const char* column, const TimeSpan& span, Nanoseconds before) {
        if (!m_problem && span.end < span.start)
            m_problem = {place(column), "must not be negative"};
        // The reader would refuse it.
        const bool far =
            span.start <= -kLatest || span.end >= kLatest || span.end - span.start > kLatest;
        if (!m_problem && (far || std::abs(span.start - before) > kLatest))
            m_problem = {place(column), "is a time beyond 2^53 ns"};
    }

    const Profile& m_profile;
    const Timeline& m_timeline;
    const char* m_table = "";
    std::size_t m_row = 0;
    Nanoseconds m_before = 0;
    Problem m_problem;
};

}  // namespace

Problem timelineProblem(const Profile& profile) { return Check(profile).run(); }

}  // namespace roofscope
