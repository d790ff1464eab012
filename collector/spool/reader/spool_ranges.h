// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collector/spool/reader/spool_launches.h"
#include "collector/spool/reader/spool_names.h"
#include "collector/spool/records.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The NVTX ranges in the spool of one process that were measured as a whole.
class SpoolRanges {
public:
    explicit SpoolRanges(SpoolIds& ids) : m_ids(ids) {}

    void take(const spool::RangeFacts& record);
    void take(spool::RangeCountersRecord record);
    void take(spool::RangeValuesRecord record);
    /// Adds the ranges to the profile. Call it after `launches`, those of this process, are
    /// finished.
    void finish(const SpoolLaunches& launches);

private:
    struct Row {
        RangeMeasurement measured;
        std::uint64_t begin = 0, end = 0;  ///< sequence numbers of its launches, `end` excluded
        std::vector<double> values;
    };
    /// Range, device and ordinal, as the spool numbers them.
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

    /// Sets duration and busy time of a range, but only if the times of all its kernels are known.
    void time(Row& row, const SpoolLaunches& launches);

    SpoolIds& m_ids;
    std::map<Key, Row> m_rows;
    std::map<std::uint32_t, std::vector<std::string>> m_counters;  ///< by device
    std::uint64_t m_visited = 0;  ///< launches visited so far, summed over all ranges
};

}  // namespace roofscope
