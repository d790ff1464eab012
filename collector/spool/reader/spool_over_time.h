// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collector/spool/reader/spool_launches.h"
#include "collector/spool/reader/spool_names.h"
#include "collector/spool/records.h"

namespace roofscope {

/// Counters over the time of single launches in one process' spool.
class SpoolOverTime {
public:
    explicit SpoolOverTime(SpoolIds& ids) : m_ids(ids) {}

    void take(const spool::OverTimeRecord& record);
    /// Assigns each trace to its launch. Call it after `launches`, those of this process, are
    /// finished.
    void finish(const SpoolLaunches& launches);

private:
    SpoolIds& m_ids;
    std::vector<std::pair<std::uint64_t, std::size_t>> m_found;  ///< sequence and index in overTime
};

}  // namespace roofscope
