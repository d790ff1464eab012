// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/run/spool/spool_fields.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The timeline in one process' spool: copies, calls, ranges. Lines use the numbers of the spool,
/// and launches come later than their calls, so everything is joined at the end.
class SpoolTimeline {
public:
    using Json = spool::Json;

    /// Takes a line of this type, if it is one of the timeline's.
    bool apply(std::string_view type, const Json& json);

    /// What became of a launch of the process.
    struct Launched {
        std::uint32_t row = 0;  ///< in Profile::launches
        std::optional<TimeSpan> time;
    };
    /// What the rest of the spool knows.
    struct Rest {
        std::uint32_t process = 0;
        /// By the number of CUDA, and by that of the spool.
        std::map<std::uint32_t, std::uint32_t> devices, ranges;
        /// Launches by correlation; of a graph launch those of its nodes.
        std::unordered_map<std::uint32_t, std::vector<Launched>> launches;
        /// The stream of the profile, by context and stream of CUPTI.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> streams;
        bool damaged = false;  ///< lines are missing
    };
    /// Adds everything to the profile, by CUPTI's clock.
    void finish(Profile& profile, Rest rest);

    /// Rows that a timeline takes of a process, at most; what comes later is left out.
    static constexpr std::size_t kMostRows = 16'000'000;

private:
    struct RawTransfer {
        Transfer transfer;  ///< without device, peer and stream
        std::uint32_t device = 0;
        std::optional<std::uint32_t> peer;
        std::uint32_t context = 0, stream = 0, correlation = 0;
    };
    struct RawCall {
        std::uint32_t name = 0, thread = 0;
        std::uint32_t correlation = 0;
        TimeSpan time;
    };
    struct RawRange {
        std::uint32_t range = 0, thread = 0;
        std::int64_t begin = 0;
        std::optional<std::int64_t> end;
    };

    void transfers(const Json& json);
    void calls(const Json& json);
    void begun(const Json& json);
    void left(const Json& json);
    /// Whether there is room for so many rows more.
    bool take(std::size_t rows);
    void noteTime(std::int64_t at);
    void addTransfers(Profile& profile, Rest& rest);
    void addCalls(Profile& profile, const Rest& rest);
    void addRanges(Profile& profile, const Rest& rest);

    std::optional<TimelineParts> m_parts;
    std::vector<RawTransfer> m_transfers;
    std::vector<RawCall> m_calls;
    std::map<std::uint64_t, RawRange> m_ranges;  ///< by their number
    std::map<std::uint32_t, Thread> m_threads;
    std::map<std::uint32_t, CallName> m_names;
    std::vector<std::pair<bool, std::int64_t>> m_switches;  ///< of cudaProfilerStart and …Stop
    std::int64_t m_latest = 0;                              ///< of all times
    std::size_t m_rows = 0, m_leftOut = 0;
    /// Of finish(): where threads and transfers are in the profile.
    std::map<std::uint32_t, std::uint32_t> m_threadIndex;
    std::unordered_map<std::uint32_t, std::uint32_t> m_transferOf;  ///< by correlation
};

}  // namespace roofscope
