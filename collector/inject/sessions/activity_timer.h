// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

#include "collector/cupti/cupti_api.h"
#include "collector/spool/writer/spool_writer.h"
#include "profile/errors/result.h"

namespace roofscope::inject {

/// Times kernels, copies and memsets with CUPTI's activity records. One per process, because
/// CUPTI's buffer callbacks have no user pointer.
///
/// Records go to the spool when CUPTI delivers them: at least every kFlushPeriodMs, and at the end.
namespace activity_timer {

struct What {
    /// Kernels run one by one, without instrumentation. Otherwise concurrent kernels stay
    /// concurrent, and CUPTI adds instructions to time them.
    bool serial = false;
    bool transfers = false;  ///< also copies and memsets
};

/// Whether the launch shapes of graph nodes are written. That makes a node's line twice as long, so
/// it is done only in a process that was already running, whose graphs may be older than the
/// recording.
inline std::atomic<bool> g_keepsNodeShapes{false};

/// Starts timing. `spool` must live until stop(), or until the process ends if stop() is not
/// called.
[[nodiscard]] Result<void> start(const CuptiApi& cupti, SpoolWriter& spool, const What& what);
/// Writes CUPTI's records of kernels that have ended; with `force` all records.
void flush(bool force);
/// Writes all records and ends the timing.
void stop();
/// How many records CUPTI has lost since start().
[[nodiscard]] std::size_t dropped();
/// The kernels whose records have been written since start().
struct Written {
    std::size_t kernels = 0;
    std::chrono::nanoseconds time{};  ///< sum
};
[[nodiscard]] Written written();

}  // namespace activity_timer
}  // namespace roofscope::inject
