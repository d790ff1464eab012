// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "importer/traces/trace_rows.h"

namespace roofscope::traces {

inline constexpr std::uint32_t kNoRow = 0xFFFF'FFFF;

/// Links GPU work to the calls that issued it.
struct TraceLinks {
    std::vector<std::uint32_t> callOfWork;  ///< index into TraceRows::calls, or kNoRow
    /// Number of calls that share their correlation number with another call that is not around
    /// them. It is not known which of these issued the work.
    std::uint64_t ambiguousCalls = 0;
    std::uint64_t linked = 0;
    /// Works after the first call that no call issued, as far as the trace says. Without nodes of
    /// graphs, of which only one names the call.
    std::uint64_t withoutCall = 0;
    /// Number of works that begin before their call. If there are many, the CPU and GPU clocks
    /// disagree.
    std::uint64_t early = 0;
    [[nodiscard]] bool clocksAgree() const { return early < 3 || early * 100 <= linked; }
};

/// Drops calls and frames far from everything else, and marks GPU work there as untimed. Then finds
/// the call of each work.
[[nodiscard]] TraceLinks linkRows(TraceRows& rows);

}  // namespace roofscope::traces
