// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "profile/codec_timeline.h"

namespace roofscope {
namespace {

/// Goes through a profile until something is wrong.
class Check {
public:
    explicit Check(const Profile& profile) : m_profile(profile), m_timeline(profile.timeline) {}

    TimelineProblem run() {
        const std::size_t processes = m_profile.processes.size();
        const std::size_t devices = m_profile.devices.size();
        const std::size_t threads = m_timeline.threads.size();
        each("threads", m_timeline.threads, [&](const Thread& thread) {
            index("process", thread.process, "processes", processes);
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
            if (!m_problem.what.empty() || !call.work) return;
            const bool transfer = m_timeline.callNames[call.name].kind == CallKind::Transfer;
            index("work_delta", *call.work, transfer ? "transfers" : "launches",
                  transfer ? m_timeline.transfers.size() : m_profile.launches.size());
        });
        each("ranges", m_timeline.ranges, [&](const RangeSpan& range) {
            index("range", range.range, "ranges", m_profile.ranges.size());
            index("thread", range.thread, "threads", threads);
            forward("duration_ns", range.time);
            if (range.gpu) forward("gpu_duration_ns", *range.gpu);
        });
        each("profiler", m_timeline.profiler, [&](const ProfilerSpan& span) {
            index("process", span.process, "processes", processes);
            forward("duration_ns", span.time);
        });
        return m_problem;
    }

private:
    template <class Row, class Look>
    void each(const char* table, const std::vector<Row>& rows, Look look) {
        m_table = table;
        for (m_row = 0; m_row < rows.size() && m_problem.what.empty(); ++m_row) look(rows[m_row]);
    }
    void fail(const char* column, std::string what) {
        if (m_problem.what.empty())
            m_problem = {fmt::format("/{}/{}/{}", m_table, column, m_row), std::move(what)};
    }
    void index(const char* column, std::uint32_t index, const char* list, std::size_t size) {
        if (index >= size)
            fail(column,
                 fmt::format("refers to entry {} of \"{}\", which has {}", index, list, size));
    }
    void forward(const char* column, const TimeSpan& span) {
        if (span.end < span.start) fail(column, "must not be negative");
    }

    const Profile& m_profile;
    const Timeline& m_timeline;
    const char* m_table = "";
    std::size_t m_row = 0;
    TimelineProblem m_problem;
};

}  // namespace

TimelineProblem timelineProblem(const Profile& profile) { return Check(profile).run(); }

}  // namespace roofscope
