// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importer/traces/trace_rows.h"

namespace roofscope::traces {

inline constexpr std::uint32_t kNoPath = 0xFFFF'FFFF;

/// The context in which a thread made a call. Names are text numbers; 0 means none.
struct CallContext {
    std::uint32_t path = kNoPath;  ///< innermost range, as an index into TraceContexts::paths
    std::uint32_t op = 0, sizes = 0, backward = 0;
    std::uint32_t python = 0;  ///< the program's innermost function
    bool indirect = false;     ///< `python` is the function of another thread, which was waiting
    bool operator==(const CallContext&) const = default;
};

/// One occurrence of a range, from push to pop.
struct RangeRow {
    std::uint32_t path = 0, thread = 0;
    TimeSpan time;
};

struct TraceContexts {
    std::vector<CallContext> ofCall;  ///< one for each of TraceRows::calls
    std::vector<std::string> paths;   ///< range names, outermost first, joined by " > "
    std::vector<RangeRow> ranges;
    /// Per thread: whether it only works for ranges of other threads (autograd, or no ranges of its
    /// own).
    std::vector<bool> helper;
    std::uint64_t rangesLeftOut = 0;
};

/// Finds the operator, range and Python function around each call. Sorts TraceRows::frames.
[[nodiscard]] TraceContexts contextsOf(TraceRows& rows);

/// Normalises the name of a range. "ProfilerStep#12" → "ProfilerStep", so that all steps have the
/// same name. "a > b" → "a / b", since " > " separates the names in a path.
[[nodiscard]] std::string rangeName(std::string_view name);

}  // namespace roofscope::traces
