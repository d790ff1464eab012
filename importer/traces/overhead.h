// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "importer/traces/trace_rows.h"

namespace roofscope::traces {

struct PlacedOverhead {
    std::size_t loads = 0;      ///< that became calls
    std::size_t profilers = 0;  ///< the profiler's own, placed or not
    Nanoseconds time = 0;       ///< of the profiler's own
    std::set<std::string> names;
};

/// Makes calls of the overhead that the profiler noted: loading code, and its own work. A trace
/// often lacks the thread: then it is that of the call around it, else the one with most calls.
[[nodiscard]] PlacedOverhead placeOverhead(TraceRows& rows);

}  // namespace roofscope::traces
