// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importer/traces/trace_rows.h"

namespace roofscope::traces {

inline constexpr std::uint32_t kNoPath = 0xFFFF'FFFF;

/// What a thread was in when it made a call; text numbers, 0 for none.
struct CallContext {
    std::uint32_t path = kNoPath;  ///< innermost range: index into TraceContexts::paths
    std::uint32_t op = 0, sizes = 0, backward = 0;
    std::uint32_t python = 0;  ///< innermost function of the program
    bool indirect = false;     ///< `python` ran in another thread, which waited meanwhile
    bool operator==(const CallContext&) const = default;
};

/// One range, push to pop.
struct RangeRow {
    std::uint32_t path = 0, thread = 0;
    TimeSpan time;
};

struct TraceContexts {
    std::vector<CallContext> ofCall;  ///< for each of TraceRows::calls
    std::vector<std::string> paths;   ///< ranges, outermost first, joined by " > "
    std::vector<RangeRow> ranges;
    /// Threads that run the work of other threads' ranges: autograd's, and those without ranges.
    std::vector<bool> helper;
    std::uint64_t rangesLeftOut = 0;
};

/// Goes through the operators, ranges and Python functions of each thread. Sorts
/// TraceRows::frames.
[[nodiscard]] TraceContexts contextsOf(TraceRows& rows);

/// "ProfilerStep#12" → "ProfilerStep": every step has the same name. "a > b" → "a / b": paths are
/// joined by the former.
[[nodiscard]] std::string rangeName(std::string_view name);

}  // namespace roofscope::traces
