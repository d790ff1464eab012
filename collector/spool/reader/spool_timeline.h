// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/spool/cpu_records.h"
#include "collector/spool/reader/spool_names.h"
#include "collector/spool/records.h"
#include "collector/spool/timeline_records.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The time span of a row.
[[nodiscard]] inline TimeSpan spanOf(const auto& row) {
    return {.start = static_cast<Nanoseconds>(row.startNs),
            .end = static_cast<Nanoseconds>(row.endNs)};
}

/// The timeline in the spool of one process: copies, calls, ranges. Rows refer to each other by ids
/// of the spool and may come in any order, so everything is joined at the end.
class SpoolTimeline {
public:
    explicit SpoolTimeline(SpoolIds& ids)
        : m_ids(ids),
          m_rows(ids.profile.timeline.transfers.size() + ids.profile.timeline.calls.size() +
                 ids.profile.timeline.ranges.size()) {}

    void take(const spool::TimelineRecord& record);
    void take(const spool::ThreadRecord& record);
    void take(const spool::CallNameRecord& record);
    void take(const std::vector<spool::TransferTime>& rows);
    void take(const std::vector<spool::CallTime>& rows);
    void take(const std::vector<spool::RangeBegin>& rows);
    void take(const std::vector<spool::RangeLeft>& rows);
    void take(const spool::ProfilerRecord& record);
    void take(spool::CpuStacksRecord record);
    void take(const std::vector<spool::CpuSampleRow>& rows);
    void take(const std::vector<spool::PaceRow>& rows);

    /// A launch of the process, and when its kernel ran if that is known.
    struct Launched {
        std::uint32_t row = 0;  ///< in Profile::launches
        std::optional<TimeSpan> time;
    };
    /// What the other parts of the spool contribute.
    struct Rest {
        /// Launches by correlation id; a graph launch has one for each of its nodes.
        std::unordered_map<std::uint32_t, std::vector<Launched>> launches;
        /// Streams of the profile, by CUPTI's context and stream.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> streams;
        bool damaged = false;  ///< lines are missing
    };
    /// Adds everything to the profile, still in CUPTI's time.
    void finish(Rest rest);

    /// The most rows accepted from all processes together; later ones are left out.
    static constexpr std::size_t kMostRows = 16'000'000;

private:
    struct Occurrence {
        spool::RangeBegin begin;
        std::optional<std::uint64_t> endNs;
    };
    struct Switch {
        bool on = false;
        Nanoseconds at = 0;
    };

    /// Whether there is room for this many more rows. If not, they count as left out.
    bool hasRoomFor(std::size_t rows);
    void noteTime(std::uint64_t ns);
    void addTransfers(Rest& rest);
    void addCalls(const Rest& rest);
    void addRanges(const Rest& rest);
    void addSwitches();
    void addSamples();

    SpoolIds& m_ids;
    std::optional<TimelineParts> m_parts;
    std::vector<spool::TransferTime> m_transfers;
    std::vector<spool::CallTime> m_calls;
    std::map<std::uint64_t, Occurrence> m_ranges;  ///< by RangeBegin::span
    std::map<std::uint32_t, Thread> m_threads;
    std::map<std::uint32_t, CallName> m_names;
    std::vector<Switch> m_switches;  ///< cudaProfilerStart and …Stop
    std::optional<spool::CpuStacksRecord> m_stacks;
    std::vector<spool::CpuSampleRow> m_samples;
    Nanoseconds m_latest = 0;  ///< the latest of all times noted
    std::size_t m_rows = 0, m_leftOut = 0;
    /// Set by finish(): indices into the profile.
    std::map<std::uint32_t, std::uint32_t> m_threadIndex;
    std::unordered_map<std::uint32_t, std::uint32_t> m_transferOf;  ///< by correlation
};

}  // namespace roofscope
