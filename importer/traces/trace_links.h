// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "importer/traces/trace_rows.h"

namespace roofscope::traces {

inline constexpr std::uint32_t kNoRow = 0xFFFF'FFFF;

/// Which call issued which work.
struct TraceLinks {
    std::vector<std::uint32_t> callOfWork;  ///< index into TraceRows::calls, or kNoRow
    /// Calls that share their correlation number with another one that is not around them: it is
    /// not known which of them issued the work.
    std::uint64_t ambiguousCalls = 0;
    std::uint64_t linked = 0;
    /// Work that begins before the call that issued it: the clocks of CPU and GPU disagree.
    std::uint64_t early = 0;
    [[nodiscard]] bool clocksAgree() const { return early < 3 || early * 100 <= linked; }
};

/// Drops what lies far from everything else, and marks such GPU work. Then finds the call of each
/// work.
[[nodiscard]] TraceLinks linkRows(TraceRows& rows);

}  // namespace roofscope::traces
