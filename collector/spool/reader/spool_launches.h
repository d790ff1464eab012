// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/spool/reader/spool_names.h"
#include "collector/spool/reader/spool_reader.h"
#include "collector/spool/reader/spool_timeline.h"
#include "collector/spool/records.h"
#include "collector/spool/timeline_records.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The launches of one process' spool. Their counters, times and arguments are on separate
/// lines and are joined here.
class SpoolLaunches {
public:
    explicit SpoolLaunches(SpoolIds& ids);

    void take(const spool::LaunchRecord& record);
    void take(spool::ValuesRecord record);
    void take(spool::NodeTimeRecord record);
    void take(std::vector<spool::KernelTime> rows);
    void take(const spool::OldGraphRecord& record);
    void take(const spool::BufferRecord& record);
    void take(const spool::ArgumentsRecord& record);
    void take(const spool::RetractRecord& record);
    void take(const spool::MissedRecord& record);
    void take(const spool::CountsFirstRecord& record);
    void take(const spool::TimesNowRecord& record);

    /// Adds the launches to the profile, and their start times (in CUPTI's time) to `starts`.
    void finish(LaunchStarts& starts);
    /// After finish(): adds the positions of the launches if some of this process are missing.
    void addPositions(LaunchPositions& positions) const;

    /// After finish(): set if the process counted before it timed.
    [[nodiscard]] std::optional<CountedFirst> countedFirst() const { return m_countedFirst; }

    /// After finish(): how many launches lack counters that they should have.
    [[nodiscard]] std::size_t unmeasured() const { return m_unmeasured; }
    [[nodiscard]] std::size_t size() const { return m_rows.size(); }
    /// After finish(): the row of a launch in the profile, by its sequence number; nullopt if the
    /// profile does not have the launch.
    [[nodiscard]] std::optional<std::uint32_t> rowOf(std::uint64_t sequence) const;
    /// The same, but only if the launch is one of this kernel (index into Profile::kernels).
    [[nodiscard]] std::optional<std::uint32_t> rowOf(std::uint64_t sequence,
                                                     std::uint32_t kernel) const;
    /// After finish(): calls visit(launch, time) for the launches with sequence numbers from
    /// `begin` up to, but not including, `end`. The time is empty where it is unknown.
    template <class Visit>
    void visit(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
        for (auto it = m_rows.lower_bound(begin); it != m_rows.end() && it->first < end; ++it)
            visit(it->second.launch, it->second.time);
    }
    /// The launches by correlation id, which finish() collects for the timeline.
    using ByCorrelation = std::unordered_map<std::uint32_t, std::vector<SpoolTimeline::Launched>>;
    [[nodiscard]] ByCorrelation takeByCorrelation() { return std::move(m_launched); }
    /// The profile's streams, by CUPTI's context and stream.
    using Streams = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;
    [[nodiscard]] Streams takeStreams() { return std::move(m_streams); }

private:
    struct Ran {
        spool::KernelTime kernel;
        bool taken = false;
    };
    /// The kernel times of one correlation id, sorted by start.
    struct TimesOfCorrelation {
        std::vector<Ran> list;
        std::size_t first = 0;  ///< the entries before this index are all taken
        /// What tells the nodes of a graph apart (name and grid), and their indices in the list.
        using Node = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t>;
        struct Places {
            std::vector<std::size_t> places;
            std::size_t first = 0;
        };
        std::map<Node, Places> nodes;  ///< built when a launch of a graph first needs it

        static Node nodeOf(const std::string& symbol, const Dim3& grid) {
            return {symbol, grid.x, grid.y, grid.z};
        }
        /// The first that is not taken yet; null if there is none.
        Ran* next();
        Ran* next(const Node& node);
    };
    struct Row {
        Launch launch;
        bool counted = true;
        std::optional<std::uint32_t> correlation;
        std::optional<TimeSpan> time;
        std::uint32_t device = 0;
        std::vector<double> values;
        std::uint32_t index = 0;  ///< in the profile; set by addLaunches()
    };

    void addTime(spool::KernelTime time);
    /// Makes launches of the kernels that graphs older than the recording ran, sorted by start.
    void joinOldGraphs();
    /// The profile's index of the kernel with this symbol; adds the kernel if it is new.
    std::uint32_t kernelOf(const spool::KernelTime& time);
    /// Adds one launch to the profile. Returns its row.
    std::uint32_t addLaunch(const Row& row, LaunchStarts& starts);
    void joinTimes();
    void join(Row& row, TimesOfCorrelation& times);
    void addLaunches(LaunchStarts& starts);
    void sayWhatIsLeftOut() const;
    /// Adds the counter values of a launch to the profile. False if it
    /// should have some and has none.
    bool addValues(const Row& row, std::size_t index);
    [[nodiscard]] std::uint64_t lost() const;

    SpoolIds& m_ids;
    std::map<std::uint64_t, Row> m_rows;
    std::vector<spool::OldGraphRecord> m_oldGraphs;
    std::vector<Row> m_graphRows;  ///< of old graphs: they have no sequence numbers
    std::map<std::string, std::uint32_t> m_kernelOfSymbol;          ///< of old graphs
    std::unordered_map<std::uint32_t, TimesOfCorrelation> m_times;  ///< by correlation
    std::set<std::uint64_t> m_retracted;
    /// From this sequence number on, positions are unknown.
    std::uint64_t m_missedFrom = kUnknownPosition;
    std::map<std::uint32_t, std::uint32_t> m_buffers;
    std::map<std::vector<BufferArgument>, std::uint32_t> m_lists;
    /// Allocations are numbered on from those of earlier processes.
    std::uint32_t m_nextAllocation = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> m_allocations;
    std::uint64_t m_leftOut = 0;  ///< launches beyond SpoolIds::mostLaunches
    std::size_t m_unmeasured = 0;
    std::optional<CountedFirst> m_countedFirst;
    /// Sequence number of the first timed launch; absent unless the process counted first.
    std::optional<std::uint64_t> m_timedFrom;
    ByCorrelation m_launched;
    Streams m_streams;
};

}  // namespace roofscope
