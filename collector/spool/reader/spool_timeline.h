// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/spool/reader/spool_names.h"
#include "collector/spool/records.h"
#include "collector/spool/timeline_records.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The time of a row.
[[nodiscard]] inline TimeSpan spanOf(const auto& row) {
    return {.start = static_cast<Nanoseconds>(row.startNs),
            .end = static_cast<Nanoseconds>(row.endNs)};
}

/// The timeline in one process' spool: copies, calls, ranges. Lines use the numbers of the spool,
/// and launches come later than their calls, so everything is joined at the end.
class SpoolTimeline {
public:
    explicit SpoolTimeline(SpoolIds& ids) : m_ids(ids) {}

    void take(const spool::TimelineRecord& record);
    void take(const spool::ThreadRecord& record);
    void take(const spool::CallNameRecord& record);
    void take(const std::vector<spool::TransferTime>& rows);
    void take(const std::vector<spool::CallTime>& rows);
    void take(const std::vector<spool::RangeBegin>& rows);
    void take(const std::vector<spool::RangeLeft>& rows);
    void take(const spool::ProfilerRecord& record);

    /// What became of a launch of the process.
    struct Launched {
        std::uint32_t row = 0;  ///< in Profile::launches
        std::optional<TimeSpan> time;
    };
    /// What the rest of the spool knows.
    struct Rest {
        /// Launches by correlation; of a graph launch those of its nodes.
        std::unordered_map<std::uint32_t, std::vector<Launched>> launches;
        /// The stream of the profile, by context and stream of CUPTI.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> streams;
        bool damaged = false;  ///< lines are missing
    };
    /// Adds everything to the profile, by CUPTI's clock.
    void finish(Rest rest);

    /// Rows that a timeline takes of a process, at most; what comes later is left out.
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

    /// Whether there is room for so many rows more.
    bool hasRoomFor(std::size_t rows);
    void noteTime(std::uint64_t ns);
    void addTransfers(Rest& rest);
    void addCalls(const Rest& rest);
    void addRanges(const Rest& rest);
    void addSwitches();

    SpoolIds& m_ids;
    std::optional<TimelineParts> m_parts;
    std::vector<spool::TransferTime> m_transfers;
    std::vector<spool::CallTime> m_calls;
    std::map<std::uint64_t, Occurrence> m_ranges;  ///< by their number
    std::map<std::uint32_t, Thread> m_threads;
    std::map<std::uint32_t, CallName> m_names;
    std::vector<Switch> m_switches;  ///< of cudaProfilerStart and …Stop
    Nanoseconds m_latest = 0;        ///< of all times
    std::size_t m_rows = 0, m_leftOut = 0;
    /// Of finish(): where threads and transfers are in the profile.
    std::map<std::uint32_t, std::uint32_t> m_threadIndex;
    std::unordered_map<std::uint32_t, std::uint32_t> m_transferOf;  ///< by correlation
};

}  // namespace roofscope
