// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collector/run/spool/spool_fields.h"
#include "collector/run/spool/spool_launches.h"
#include "collector/run/spool/spool_names.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The NVTX ranges of one process' spool that were measured as a whole.
class SpoolRanges {
public:
    using Json = spool::Json;

    explicit SpoolRanges(SpoolIds& ids) : m_ids(ids) {}

    /// Takes a line of this type, if it is one of these.
    bool apply(std::string_view type, const Json& json);
    /// Adds them to the profile. `launches` are those of the process, finished.
    void finish(const SpoolLaunches& launches);

private:
    struct Row {
        RangeMeasurement measured;
        std::uint64_t begin = 0, end = 0;  ///< sequences of its launches, `end` excluded
        std::vector<double> values;
    };
    /// Range, device and ordinal, as the spool numbers them.
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

    static Key keyOf(const Json& json);
    void end(const Json& json);
    void values(const Json& json);
    /// Duration and busy time of a range; neither unless the times of all its kernels are known.
    void time(Row& row, const SpoolLaunches& launches);

    SpoolIds& m_ids;
    std::map<Key, Row> m_rows;
    std::map<std::uint32_t, std::vector<std::string>> m_counters;  ///< by device
    std::uint64_t m_visited = 0;  ///< launches that were looked at, of all ranges
};

}  // namespace roofscope
