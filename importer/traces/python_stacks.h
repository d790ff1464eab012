// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "importer/traces/trace_links.h"
#include "importer/traces/trace_rows.h"
#include "profile/model/cpu_samples.h"

namespace roofscope::traces {

/// What the threads did, from a trace with Python stacks (with_stack=True), as samples at equal
/// distances: of each thread up to 50,000 in the recorded time, of all at most 200,000. Their
/// lines are those where the functions begin: the profiler does not note which line runs.
/// `TraceRows::frames` must be sorted as contextsOf() does it. `threadOf` has the index into
/// Timeline::threads of each of TraceRows::threads, or kNoRow; such threads are left out.
/// Absent if no function was recorded. Times are on the trace's clock less `zero`.
[[nodiscard]] std::optional<CpuSamples> pythonStacks(const TraceRows& rows,
                                                     const std::vector<std::uint32_t>& threadOf,
                                                     Nanoseconds zero);

}  // namespace roofscope::traces
