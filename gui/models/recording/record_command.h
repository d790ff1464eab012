// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "analyzer/model/analysis.h"

/// Commands that record the same program once more, with what this recording lacks, for a POSIX
/// shell.
namespace roofscope::gui {

/// With counters per instruction of a kernel, an index into Analysis::kernels:
/// "roofscope record --source gather -- ./app".
[[nodiscard]] QString recordSourceCommand(const Analysis& analysis, std::size_t kernel);

/// Sampled over the time of a kernel: "roofscope record --over-time gather -- ./app".
[[nodiscard]] QString recordOverTimeCommand(const Analysis& analysis, std::size_t kernel);

/// With counters of a whole NVTX range, the outermost around the kernel with the most time:
/// "roofscope record --range step -- ./app". Empty when no launch lies in a range.
[[nodiscard]] QString recordRangeCommand(const Analysis& analysis);

}  // namespace roofscope::gui
