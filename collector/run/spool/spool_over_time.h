// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collector/run/spool/spool_fields.h"
#include "collector/run/spool/spool_launches.h"
#include "collector/run/spool/spool_names.h"

namespace roofscope {

/// The samples of the GPU over the time of single launches in one process' spool.
class SpoolOverTime {
public:
    using Json = spool::Json;

    explicit SpoolOverTime(SpoolIds& ids) : m_ids(ids) {}

    /// Takes a line of this type, if it is one of these.
    bool apply(std::string_view type, const Json& json);
    /// Assigns each to its launch. `launches` are those of the process, finished.
    void finish(const SpoolLaunches& launches);

private:
    SpoolIds& m_ids;
    std::vector<std::pair<std::uint64_t, std::size_t>> m_found;  ///< sequence and index in overTime
};

}  // namespace roofscope
