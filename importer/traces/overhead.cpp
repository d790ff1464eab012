// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/overhead.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "importer/traces/cuda_calls.h"
#include "profile/names/profiler_calls.h"

namespace roofscope::traces {
namespace {

/// Finds the thread that an overhead event belongs to.
class Threads {
public:
    explicit Threads(const TraceRows& rows) : m_rows(rows) {
        for (std::uint32_t i = 0; i < rows.calls.size(); ++i) m_byStart.push_back(i);
        std::ranges::sort(m_byStart, {}, [&](std::uint32_t i) { return rows.calls[i].time.start; });
        std::map<std::uint32_t, std::size_t> calls;  // number of calls by thread
        for (const CallRow& call : rows.calls) {
            ++calls[call.thread];
            m_end = std::max(m_end, call.time.end);
        }
        const auto most =
            std::ranges::max_element(calls, {}, [](const auto& c) { return c.second; });
        if (most != calls.end()) m_most = most->first;
        for (const auto& [thread, count] : calls)
            m_byId.try_emplace(rows.threads[thread].id, thread);
    }

    /// Nullopt if the event is not within the time of the calls.
    [[nodiscard]] std::optional<std::uint32_t> of(const OverheadRow& row) const {
        if (m_byStart.empty() || row.time.end > m_end ||
            row.time.start < m_rows.calls[m_byStart.front()].time.start)
            return std::nullopt;
        if (row.thread != 0)
            if (const auto known = m_byId.find(row.thread); known != m_byId.end())
                return known->second;
        constexpr std::size_t kMostOpen = 64;  // number of earlier calls to check, open or not
        auto at = std::ranges::upper_bound(m_byStart, row.time.start, {}, [&](std::uint32_t i) {
            return m_rows.calls[i].time.start;
        });
        for (std::size_t i = 0; at != m_byStart.begin() && i < kMostOpen; ++i) {
            const CallRow& call = m_rows.calls[*--at];
            if (call.time.end >= row.time.end) return call.thread;
        }
        return m_most;
    }

private:
    const TraceRows& m_rows;
    std::vector<std::uint32_t> m_byStart;
    std::map<std::int64_t, std::uint32_t> m_byId;
    std::uint32_t m_most = 0;
    Nanoseconds m_end = 0;
};

}  // namespace

PlacedOverhead placeOverhead(TraceRows& rows) {
    PlacedOverhead placed;
    std::vector<CallRow> calls;
    const Threads threads(rows);
    for (const OverheadRow& row : rows.overhead) {
        const std::string name = rows.names[row.name];
        const bool load = kindOfCall(name) == CallKind::Load;
        const auto thread = threads.of(row);
        if (!load) {
            ++placed.profilers;
            placed.time += row.time.length();
            placed.names.insert(name);
        }
        if (!thread) continue;
        placed.loads += load ? 1 : 0;
        const std::uint32_t text =
            load ? row.name : rows.names.numberOf(std::string(kProfilerCall) + name);
        calls.push_back(
            {.name = text, .thread = *thread, .correlation = std::nullopt, .time = row.time});
    }
    rows.calls.insert(rows.calls.end(), calls.begin(), calls.end());
    return placed;
}

}  // namespace roofscope::traces
