// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "analyzer/model/analysis.h"

/// Commands for a POSIX shell that record the same program again, with data this recording lacks.
namespace roofscope::gui {

/// Records counters per instruction of a kernel (an index into Analysis::kernels):
/// "roofscope record --source gather -- ./app".
[[nodiscard]] QString recordSourceCommand(const Analysis& analysis, std::size_t kernel);

/// Samples a kernel over time: "roofscope record --over-time gather -- ./app".
[[nodiscard]] QString recordOverTimeCommand(const Analysis& analysis, std::size_t kernel);

/// Records counters of a whole NVTX range: the outermost one around the kernel with the most time
/// that is in a range. "roofscope record --range step -- ./app". Empty if no kernel is in a range.
[[nodiscard]] QString recordRangeCommand(const Analysis& analysis);

}  // namespace roofscope::gui
