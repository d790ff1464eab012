// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "importer/traces/trace_rows.h"

namespace roofscope::traces {

struct PlacedOverhead {
    std::size_t loads = 0;      ///< number of load events that became calls
    std::size_t profilers = 0;  ///< number of the profiler's own events, placed or not
    Nanoseconds time = 0;       ///< total time of the profiler's own work
    std::set<std::string> names;
};

/// Turns overhead events of the profiler (loading code, its own work) into calls. If a trace does
/// not name the thread, it is that of the surrounding call, or else the one with the most calls.
[[nodiscard]] PlacedOverhead placeOverhead(TraceRows& rows);

}  // namespace roofscope::traces
