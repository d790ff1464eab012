// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "importer/traces/trace_links.h"
#include "importer/traces/trace_rows.h"
#include "profile/model/cpu_samples.h"

namespace roofscope::traces {

/// Converts a trace with Python stacks (with_stack=True) to samples at equal intervals: up to
/// 50,000 per thread over the recorded time, and at most 200,000 in total. A sample's line is where
/// its function begins, because the profiler does not record which line runs. `TraceRows::frames`
/// must be sorted as by contextsOf(). `threadOf` has, for each of TraceRows::threads, the index
/// into Timeline::threads or kNoRow; threads with kNoRow are left out. Absent if no function was
/// recorded. Times are on the trace's clock minus `zero`.
[[nodiscard]] std::optional<CpuSamples> pythonStacks(const TraceRows& rows,
                                                     const std::vector<std::uint32_t>& threadOf,
                                                     Nanoseconds zero);

}  // namespace roofscope::traces
