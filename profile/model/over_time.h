// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profile/model/counter_table.h"
#include "profile/model/units.h"

namespace roofscope {

/// What the GPU did during one launch, interval by interval (`record --over-time`). The counters
/// cover the whole GPU; nothing else ran on it.
struct OverTime {
    std::uint32_t kernel = 0;             ///< index into Profile::kernels
    std::optional<std::uint32_t> launch;  ///< index into Profile::launches: the one sampled
    /// Ends of the intervals, ascending, measured from the start of the first one. The kernel
    /// starts within the first interval and ends within the last.
    std::vector<Seconds> ends;
    /// One row per interval with the counts in it: "dram__bytes_read.sum" (bytes),
    /// "lts__t_sectors.sum", "sm__cycles_active.avg", "sm__cycles_elapsed.max",
    /// "sm__inst_executed.sum" (warps),
    /// "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed".
    CounterTable counters;
};

}  // namespace roofscope
