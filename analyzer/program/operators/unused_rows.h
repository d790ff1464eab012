// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyzer/program/account/kernels_per_window.h"

namespace roofscope::program {

/// An embedding table of PyTorch of which a step reads few rows, whose gradient nevertheless has
/// all of them, so that the optimizer reads and writes the whole table. `kernels` are the
/// optimizer's.
struct UnusedRows : KernelsPerWindow {
    std::uint64_t rows = 0, width = 0;  ///< of the table
    double used = 0;                    ///< rows that a call reads, at most
    /// What the optimizer takes for the rows without a gradient, per window. An estimate: its time
    /// is divided by the elements that are named in its calls.
    Seconds gain;
};

/// Recognised by recorded operators and sizes: a look-up of rows, `embedding_dense_backward`, and
/// operators of an optimizer on many tensors (`_foreach_…`, `_fused_…`) of which this table makes
/// up at least half. Empty if one of these is missing, or if a step may use more than a sixteenth
/// of the rows.
[[nodiscard]] UnusedRows unusedRows(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
